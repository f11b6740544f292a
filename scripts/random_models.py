"""Thousands of random models through the whole compiler: python -m scripts.random_models [examples per variant].

Each is compiled in every way that memory can be arranged, its C runs on this computer, its plan is replayed, and every
output byte is compared with the reference engine's.
"""

from __future__ import annotations

import sys
import time

from tests.models.test_random_models import VARIANTS, run_random_models


def main() -> int:
    """Run all variants."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, options in VARIANTS.items():
        start = time.perf_counter()
        run_random_models(options, examples)
        print(f"{name}: {examples} models right, {time.perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
