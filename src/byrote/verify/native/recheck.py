"""Check this folder of evidence: the hashes of its files and of the model; then verify the model again and compare.

    python recheck.py MODEL          hashes, and everything again (needs byrote and the same compiler)
    python recheck.py --hashes       hashes of the files only

Exit code 0: everything is as recorded.  1: something differs.  2: wrong usage, or byrote is missing.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def sha256(path: Path) -> str:
    """Hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recorded() -> dict[str, str]:
    """Name -> hash."""
    lines = (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def differing(folder: Path, expected: dict[str, str]) -> list[str]:
    """Names of files that are missing or have another hash."""
    return [
        name for name, digest in expected.items() if not (folder / name).is_file() or sha256(folder / name) != digest
    ]


def command(model: Path, folder: Path) -> list[str]:
    """The verification as a command line."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    options = manifest["options"]
    words = [sys.executable, "-m", "byrote.cli.main", "verify", str(model), "--evidence", str(folder)]
    words += ["--target", options["target"], "--optimize", options["goal"], "--schedule", options["granularity"]]
    words += ["--profile", options["profile"], "--io", "int8" if options["int8_io"] else "keep"]
    for name in ("name", "ram", "flash"):
        words += [f"--{name}", str(options[name])] if options[name] is not None else []
    if options["memories"]:
        words += ["--ram", ",".join(f"{memory['name']}={memory['capacity']}" for memory in options["memories"])]
    for name, flag in (("keep_input", "--keep-input"), ("push_input", "--push-input")):
        words += [flag] if options[name] else []
    words += [] if options["own_arena"] else ["--no-arena"]
    words += ["--inputs", str(manifest["generated_inputs"])]
    words += ["--data", str(FOLDER / "data.npz")] if (FOLDER / "data.npz").exists() else []
    if manifest["emulated_inputs"]:
        words += ["--emulated-inputs", str(manifest["emulated_inputs"])]
    if manifest["build"]:
        words += ["--compiler", manifest["build"]["compiler"]]
    return words


def verify_again(model: Path, expected: dict[str, str]) -> list[str]:
    """Names of files that a new verification gives differently."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "again"
        done = subprocess.run(command(model, folder), check=False)
        if done.returncode == 2 or not folder.is_dir():
            sys.exit("byrote could not verify the model (is it installed?  pip install 'byrote[verify]')")
        return differing(folder, expected)


def main(arguments: list[str]) -> int:
    """Exit code."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    expected = recorded()
    wrong = differing(FOLDER, expected)
    for name in wrong:
        print(f"{name}: missing or changed")
    print(f"{len(expected) - len(wrong)} of {len(expected)} files are as recorded")
    if arguments[0] == "--hashes" or wrong:
        return 1 if wrong else 0
    model = Path(arguments[0])
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    if not model.is_file() or sha256(model) != manifest["model_sha256"]:
        print(f"{model} is not the model that was verified")
        return 1
    wrong = verify_again(model, expected)
    for name in wrong:
        print(f"{name}: verified again, it has other bytes")
    print("verified again: " + ("the same bytes" if not wrong else f"{len(wrong)} files differ"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
