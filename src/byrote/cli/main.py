"""`byrote`: exit 0 done, 1 does not fit or does not match, 2 bad input or usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from byrote.cli import bench, check, ops, report, targets, tune, verify
from byrote.cli import compile as compile_verb
from byrote.errors import UserError

VERBS = (compile_verb, check, verify, report, bench, targets, ops, tune)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="byrote",
        description="Compile trained neural networks, ahead of time, into plain C that a microcontroller runs by rote.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in VERBS:
        verb.register(verbs)
    parsed = parser.parse_args(arguments)
    action: Callable[[argparse.Namespace], int] = parsed.action
    try:
        return action(parsed)
    except UserError as error:
        return _explain(error, parsed.json)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("byrote: interrupted", file=sys.stderr)
        return 2


def _explain(error: UserError, as_json: bool) -> int:
    from byrote.cli.printing import print_json

    if as_json:
        problems = [{"where": p.where, "what": p.what, "remedy": p.remedy} for p in error.problems]
        print_json({"schema_version": 1, "errors": problems})
    for problem in error.problems:
        print(f"byrote: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
