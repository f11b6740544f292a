"""Runs a call in a child process with bounded time and memory, and tells how it ended. POSIX only."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

CRASH = 70
"""Exit code of a child whose call raised."""

WAITING = 10
"""By the clock, a child may take so many times its limit of processor time: others may be using the machine."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: its exit code, or minus the signal that ended it; processor time; peak bytes; output."""

    code: int
    seconds: float
    peak: int
    output: str

    def fault(self, memory: int) -> str | None:
        """Why this is no orderly end (codes 0, 1 and 2 are), or None."""
        if self.code in (-signal.SIGALRM, -signal.SIGPROF):
            return "hang"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}"
        if "MemoryError" in self.output or self.peak > memory:
            return "memory"
        if self.code == CRASH or "Traceback (most recent call last)" in self.output:
            return "exception"
        return None if self.code in (0, 1, 2) else f"exit code {self.code}"


def limited(call: Callable[[], int | None], seconds: float = 5.0, memory: int = 1 << 30) -> Outcome:
    """Forks, and calls there; the call's value is the exit code (None: 0), as is that of a SystemExit.

    The child is killed after `seconds` of processor time, or WAITING times as much by the clock; more than `memory`
    bytes beyond what this process has makes its allocations fail. The call may replace the process (os.execvp): all
    limits stay.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as log:
        with warnings.catch_warnings():
            # Python warns of forks beside threads; the libraries' idle worker threads are not needed in the child.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _child(call, seconds, memory, log)
        _, status, usage = os.wait4(child, 0)
        log.seek(0)
        output = log.read(1 << 20).decode(errors="replace")
    spent = usage.ru_utime + usage.ru_stime
    return Outcome(os.waitstatus_to_exitcode(status), spent, usage.ru_maxrss * 1024, output)


def _child(call: Callable[[], int | None], seconds: float, memory: int, log: BinaryIO) -> NoReturn:
    """What the child does; it never returns."""
    code = CRASH
    try:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        sys.stdout = sys.stderr = os.fdopen(os.dup(log.fileno()), "w", encoding="utf-8", errors="replace")
        for timer, number, allowed in (
            (signal.ITIMER_PROF, signal.SIGPROF, seconds),
            (signal.ITIMER_REAL, signal.SIGALRM, seconds * WAITING),
        ):
            signal.signal(number, signal.SIG_DFL)
            signal.setitimer(timer, allowed)
        limit = _address_space() + memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        code = _exit_code(call)
    except BaseException:  # the parent is told by the log and the code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _exit_code(call: Callable[[], int | None]) -> int:
    try:
        return call() or 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code)
        return 1


def _address_space() -> int:
    """Bytes of address space that this process has; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
