"""Cycles that code waits for flash.

Model: flash delivers lines of `width` bytes after `wait_states` more cycles than RAM.  One line is fetched ahead while
the one before executes; nothing is cached.  So

- a line that follows its predecessor stalls max(0, W + 1 - c) cycles, where c are the cycles that a line's instructions
  take by themselves;
- a jump that is taken finds nothing fetched ahead and stalls W cycles.

Not modelled: loads of constants from flash, which compete with fetches; caches and branch buffers, which hide both.
"""

from __future__ import annotations

from byrote.targets import Memory

ASSUMPTIONS = (
    "code runs from flash through a prefetch of one line, without a cache",
    "loads of constants from flash are not delayed",
)


def wait_cycles(flash: Memory | None, *, cycles: float, fetched: float, jumps: float) -> float:
    """Stalls of a run of so many cycles at zero wait states, bytes of code that it fetches and jumps that it takes."""
    if flash is None or not flash.wait_states or not fetched:
        return 0.0
    wait, lines = flash.wait_states, fetched / flash.fetch_width
    return jumps * wait + lines * max(0.0, wait + 1 - cycles / lines)
