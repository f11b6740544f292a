"""The linker script of a measured firmware, from the memories of its target."""

from __future__ import annotations

from byrote.targets import Memory, MemoryKind, Target

STACK_TOP = "__stack_top"
"""The end of the first RAM, where the stack begins."""


def linker_script(target: Target, stack: int = 0) -> str:
    """A script for GNU ld and lld: code and constants in the first flash, variables and stack in the first RAM.

    `stack` bytes are reserved, so that linking fails if variables and stack do not fit together.  Sections that are
    named like another memory (`.itcm`, `.itcm.*`) go there.
    """
    flash, ram = target.memory(MemoryKind.FLASH), target.memory(MemoryKind.RAM)
    assert flash is not None, f"{target.name} has no flash"
    assert ram is not None, f"{target.name} has no RAM"
    others = [memory for memory in target.memories if memory not in (flash, ram)]
    lines = [
        "MEMORY {",
        *(f"  {_region(memory)}" for memory in target.memories),
        "}",
        "SECTIONS {",
        *(f"  {_other(memory, flash)}" for memory in others),
        f"  .text : {{ *(.text .text.*) }} > {flash.name}",
        f"  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) }} > {flash.name}",
        f"  .data : {{ *(.data .data.* .sdata .sdata.*) }} > {ram.name} AT> {flash.name}",
        f"  .bss (NOLOAD) : {{ *(.bss .bss.* .sbss .sbss.* COMMON) }} > {ram.name}",
        f"  .stack (NOLOAD) : {{ . = ALIGN(8); . = . + {stack}; }} > {ram.name}",
        f"  {STACK_TOP} = ORIGIN({ram.name}) + LENGTH({ram.name});",
        "  /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .eh_frame* .note.*) }",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _region(memory: Memory) -> str:
    access = "rx" if memory.kind is MemoryKind.FLASH else "rwx"
    return f"{memory.name} ({access}) : ORIGIN = {memory.origin:#x}, LENGTH = {memory.size:#x}"


def _other(memory: Memory, flash: Memory) -> str:
    stored = f" AT> {flash.name}" if memory.kind is MemoryKind.RAM else ""
    return f".{memory.name} : {{ *(.{memory.name} .{memory.name}.*) }} > {memory.name}{stored}"
