"""The evidence folder: everything a verification found, hashed, with a summary and a script that re-checks it.

Nothing in it depends on time, place or machine, so two verifications of the same model by the same tools give the same
bytes.  The model itself is not copied; its hash is recorded.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import msgspec

from byrote.ir import user_error
from byrote.verify.bounds import bounds_header, bounds_name
from byrote.verify.documents import counts_of, manifest_of, plan_of, proofs_of, symbol_map
from byrote.verify.summary import summary
from byrote.verify.verification import Verification

HASHES = "SHA256SUMS"
SCRIPT = "recheck.py"
DATA = "data.npz"
_SCRIPT_SOURCE = Path(__file__).parent / "native" / SCRIPT


def check_folder(folder: Path) -> None:
    """UserError unless the folder is new, empty, or older evidence that may be replaced."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise user_error(str(folder), "it is not a folder", "give another folder for the evidence")
    if any(folder.iterdir()) and not (folder / HASHES).exists():
        raise user_error(str(folder), "it holds something else than evidence", "give a new folder for the evidence")


def write_evidence(
    found: Verification, model: Path, folder: Path, data: Path | None = None, own_inputs: int = 0
) -> tuple[Path, ...]:
    """Write all files, or none: an older folder of evidence is replaced as a whole.  Raises UserError.

    `data`: the file of the user's `own_inputs` that came first; it is copied.
    """
    check_folder(folder)
    own = data.read_bytes() if data is not None else None
    files = evidence_files(found, hashlib.sha256(model.read_bytes()).hexdigest(), own, own_inputs)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".byrote-") as staging:
            new = Path(staging) / "new"
            for name, content in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            if folder.exists():
                folder.rename(Path(staging) / "old")
            new.rename(folder)
    except OSError as error:
        raise user_error(str(folder), error.strerror or str(error), "give another folder for the evidence") from error
    return tuple(folder / name for name in files)


def evidence_files(
    found: Verification, model_hash: str, own: bytes | None = None, own_inputs: int = 0
) -> dict[str, bytes]:
    """Name -> bytes, the list of hashes last.  `own`: the file of the user's inputs, which came first."""
    outcome = found.outcome
    texts = {f"c/{file.name}": file.text for file in found.result.program.files}
    texts[f"c/{bounds_name(outcome)}"] = bounds_header(outcome)
    texts["SUMMARY.md"] = summary(found, model_hash)
    texts[SCRIPT] = _SCRIPT_SOURCE.read_text(encoding="utf-8")
    if found.emulated is not None and found.emulated.elf is not None:
        texts["map.txt"] = symbol_map(found.emulated.elf)
    files = {name: text.encode() for name, text in texts.items()}
    documents = {
        "manifest.json": manifest_of(found, model_hash, own_inputs),
        "verify.json": outcome,
        "plan.json": plan_of(found.result),
        "proofs.json": proofs_of(found),
        "counts.json": counts_of(found),
    }
    files |= {name: _json(value) for name, value in documents.items() if value is not None}
    if found.firmware is not None:
        files["firmware.elf"] = found.firmware
    if own is not None:
        files[DATA] = own
    files = dict(sorted(files.items()))
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    return {**files, HASHES: "".join(lines).encode()}


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
