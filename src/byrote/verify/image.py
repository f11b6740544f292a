"""The linked program: what is in it, how large it is, and that its constants are the compiler's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byrote.result import Result
from byrote.verify.compilers import BuildError
from byrote.verify.elf import Elf
from byrote.verify.layers import Owners
from byrote.verify.outcome import Check, MemoryUse, Sizes

COPIES = frozenset({"memcpy", "memmove", "memset", "memcmp"})
"""What compilers may call for plain C assignments."""

CONTENT = "no heap, libc or static variable in the image"
CONSTANTS = "constants in the image are the compiler's"
FITS = "fits the target"


def sizes_of(elf: Elf, result: Result, stack: int) -> Sizes:
    """Sizes from the sections of the linked program; `stack` in bytes."""
    allocated = [section for section in elf.sections if section.allocated]
    code = sum(section.size for section in allocated if section.executable)
    constants = sum(section.size for section in allocated if not section.executable and not section.writable)
    arena, state = result.program.arena_size, result.state
    ram, flash = result.ram_limit, result.flash_limit
    assert ram is not None, "a host has no image"
    assert flash is not None, "a host has no image"
    uses = [
        MemoryUse(memory.name, used, memory.capacity or 0)
        for memory, used in zip(result.memories, result.in_memories, strict=True)
    ]
    uses[0] = replace(uses[0], bytes=uses[0].bytes + elf.static_ram + stack)
    return Sizes(
        code=code,
        constants=constants,
        flash=elf.flash_size,
        flash_limit=flash,
        arena=arena,
        state=state,
        static=elf.static_ram,
        stack=stack,
        ram=arena + state + elf.static_ram + stack,
        ram_limit=ram,
        memories=tuple(uses),
    )


def fits_check(sizes: Sizes) -> Check:
    """The verdict of the real link."""
    flash = f"flash {sizes.flash:,} of {sizes.flash_limit:,}: code {sizes.code:,}, constants {sizes.constants:,}"
    ram = f"RAM {sizes.ram:,} of {sizes.ram_limit:,}: arena {sizes.arena:,}, stack {sizes.stack:,}"
    ram += f", state {sizes.state:,}" if sizes.state else ""
    if len(sizes.memories) > 1:
        ram += "".join(f"; {use.name} {use.bytes:,} of {use.limit:,}" for use in sizes.memories)
    excess = [f"flash by {sizes.flash - sizes.flash_limit:,}"] if sizes.flash > sizes.flash_limit else []
    names = [use.name if len(sizes.memories) > 1 else "RAM" for use in sizes.memories]
    excess += [f"{n} by {u.bytes - u.limit:,}" for n, u in zip(names, sizes.memories, strict=True) if u.bytes > u.limit]
    return Check(FITS, sizes.fits, f"{flash}; {ram}" + (f"; exceeded: {', '.join(excess)} bytes" if excess else ""))


def content_check(elf: Elf, name: str) -> Check:
    """Nothing but the model's own functions and the compiler's helpers, and no variable outside the arena."""
    functions = [function.name for function in elf.functions]
    helpers = [function for function in functions if function in COPIES or function.startswith("__")]
    foreign = [f for f in functions if f not in helpers and not f.startswith(f"{name}_")]
    writable = [section for section in elf.sections if section.allocated and section.writable and section.size]
    variables = sorted(
        symbol.name
        for symbol in elf.symbols
        if symbol.size and any(section.address <= symbol.address < section.end for section in writable)
    )
    faults = [f"function {function} is not the model's" for function in foreign]
    faults += [f"{undefined} is not defined" for undefined in elf.undefined]
    if elf.static_ram:
        faults.append(f"{elf.static_ram:,} bytes of variables: {', '.join(variables[:4]) or 'unnamed'}")
    if faults:
        return Check(CONTENT, False, "; ".join(faults))
    called = f", {', '.join(sorted(helpers))}" if helpers else ", no helper of the compiler"
    return Check(CONTENT, True, f"{len(functions) - len(helpers)} functions{called}")


def constants_check(elf: Elf, owners: Owners) -> Check:
    """Every constant array, byte for byte; arrays that nothing uses are not linked."""
    size = missing = 0
    for name, table in owners.arrays.tables.items():
        try:
            symbol = elf.symbol(name)
        except KeyError:
            missing += 1
            continue
        right = np.ascontiguousarray(table.values).tobytes()
        found = elf.read(symbol.address, len(right))
        if found != right:
            first = int(np.flatnonzero(np.frombuffer(found, np.uint8) != np.frombuffer(right, np.uint8))[0])
            users = ", ".join(map(str, owners.arrays.users[name]))
            detail = f"byte {first} of {name} (node {users}) is {found[first]}, not {right[first]}"
            return Check(CONSTANTS, False, detail)
        size += len(right)
    unused = f", {missing} arrays not used" if missing else ""
    return Check(CONSTANTS, True, f"{size:,} bytes in {len(owners.arrays.tables) - missing} arrays{unused}")


def refusal(error: BuildError) -> Check:
    """A program that cannot be built or linked, as a check that fails."""
    if error.undefined:
        return Check(CONTENT, False, f"the program uses {', '.join(error.undefined)}, which nobody defines")
    if error.overflow:
        return Check(FITS, False, "; ".join(f"{memory} is {size:,} bytes too small" for memory, size in error.overflow))
    return Check("builds for the target", False, error.output.strip().splitlines()[0] if error.output.strip() else "")
