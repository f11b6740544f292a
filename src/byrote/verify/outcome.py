"""What verification found: the contract of `byrote verify --json`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """The first tensor, in order of execution, whose bytes are wrong.  `index` counts elements of the tensor."""

    where: str
    tensor: str
    node: str
    index: int
    expected: int
    found: int
    count: int


@dataclass(frozen=True)
class Stack:
    """Bytes: what analysis says can be used at most, and what a run used."""

    bound: int | None
    peak: int | None


@dataclass(frozen=True)
class Check:
    """One line of the verification: what was checked, whether it held (None: not done), and what was seen."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that are used of a RAM memory, and how many it has."""

    name: str
    bytes: int
    limit: int


@dataclass(frozen=True)
class Sizes:
    """Bytes of the linked program.

    `flash` is code, constants and initial values of variables; `ram` is the arena, the state, static variables and the
    stack's bound (its peak, where there is no bound).  The limits are the target's, or the user's.  `memories` says the
    same of each RAM memory: state, static variables and stack lie in the first.
    """

    code: int
    constants: int
    flash: int
    flash_limit: int
    arena: int
    state: int
    static: int
    stack: int
    ram: int
    ram_limit: int
    memories: tuple[MemoryUse, ...]

    @property
    def fits(self) -> bool:
        return self.flash <= self.flash_limit and all(use.bytes <= use.limit for use in self.memories)


@dataclass(frozen=True)
class LayerCost:
    """Instructions and cycles of one node of the scheduled graph, as executed on the emulated core.

    `functions` are the C functions that it calls, `calls` how often.  `shared`: other nodes that call one of them; the
    function's figures are then divided by the number of calls.
    """

    node: int
    op: str
    name: str
    kernel: str
    functions: tuple[str, ...]
    calls: int
    shared: tuple[int, ...]
    instructions: int
    cycles_low: int | None
    cycles_high: int | None


@dataclass(frozen=True)
class Build:
    """Who built the program for the target, and how; `flags` select the core, `optimise` are the recommended ones."""

    compiler: str
    version: str
    flags: tuple[str, ...]
    optimise: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """The whole verification.  Counts are of one inference."""

    schema_version: int
    model: str
    target: str
    profile: str
    exact: bool
    inputs: int
    first_difference: Difference | None
    instructions: int | None
    instructions_equal: bool | None
    one_path: bool | None
    cycles_low: int | None
    cycles_high: int | None
    stack: Stack
    stray_stores: int | None
    unaligned: int | None
    failures: tuple[str, ...]
    checks: tuple[Check, ...]
    name: str = ""
    emulated_inputs: int = 0
    fits: bool | None = None
    sizes: Sizes | None = None
    build: Build | None = None
    layers: tuple[LayerCost, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What the cycles and the proofs rest on."""
