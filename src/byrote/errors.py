"""The user's fault, told so that the user can mend it.

Anything else that goes wrong is a fault of byrote and surfaces as an ordinary exception.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, what it is, what to do about it."""

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.remedy})" if self.remedy else text


class UserError(Exception):
    """Bad input or usage: the command line prints every problem and exits with 2."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


def user_error(where: str, what: str, remedy: str = "") -> UserError:
    """A UserError with a single problem."""
    return UserError(Problem(where, what, remedy))
