"""What is known at one place of the program: registers, flags and the words of the stack."""

from __future__ import annotations

from byrote.verify.onepath.value import ALL_BYTES, TAINTED, Kind, Value, join, other, result


class State:
    """Registers by number, and stack words by their distance from the stack pointer at entry (a multiple of 4).

    A word that the program has not written is data: tainted, and no address of the stack.
    """

    __slots__ = ("registers", "words")

    def __init__(self, registers: list[Value], words: dict[int, Value]) -> None:
        self.registers = registers
        self.words = words

    def copy(self) -> State:
        return State(self.registers.copy(), self.words.copy())

    def merge(self, incoming: State) -> bool:
        """Cover the other state too; true if that changed anything."""
        changed = False
        if self.registers != incoming.registers:
            merged = [join(old, new) for old, new in zip(self.registers, incoming.registers, strict=True)]
            changed = merged != self.registers
            self.registers = merged
        if self.words == incoming.words:
            return changed
        words: dict[int, Value] = {}
        for place in self.words.keys() | incoming.words.keys():
            value = join(self.words.get(place, TAINTED), incoming.words.get(place, TAINTED))
            if value != TAINTED:
                words[place] = value
        changed = changed or words != self.words
        self.words = words
        return changed

    def load(self, place: int, size: int) -> Value:
        """What a load of 1, 2 or 4 bytes at this distance yields."""
        if size == 4 and not place & 3:
            return self.words.get(place, TAINTED)
        tainted = stack = False
        for word, bits in _pieces(place, size):
            value = self.words.get(word, TAINTED)
            tainted = tainted or bool(value.mask & bits)
            stack = stack or value.stack
        return result(tainted, stack)

    def load_anywhere(self, within: range | None = None) -> Value:
        """What a load at an unknown distance yields, or at one in `within`."""
        if within is None:
            return result(True, any(value.stack for value in self.words.values()))
        values = [self.words.get(place, TAINTED) for place in range(within.start & ~3, within.stop, 4)]
        return result(any(value.mask for value in values), any(value.stack for value in values))

    def store(self, place: int, size: int, value: Value) -> None:
        """A store of 1, 2 or 4 bytes at this distance."""
        if size == 4 and not place & 3:
            self.words[place] = value
            return
        for word, bits in _pieces(place, size):
            old = self.words.get(word, TAINTED)
            mask = old.mask & ~bits | (bits if value.mask else 0)
            self.words[word] = other(mask, old.stack or value.stack)

    def store_maybe(self, place: int, size: int, value: Value) -> None:
        """A store that may go to this distance, or elsewhere."""
        before = [(word, self.words.get(word, TAINTED)) for word, _ in _pieces(place, size)]
        self.store(place, size, value)
        for word, old in before:
            self.words[word] = join(old, self.words.get(word, TAINTED))

    def store_anywhere(self, value: Value, within: range | None = None) -> None:
        """A store at an unknown distance, or one in `within`: each word may be changed, but for return addresses.

        A store over a return address is no C program; where its address is the same for all inputs, one run shows it.
        """
        spread = result(bool(value.mask), value.stack)
        for place, old in self.words.items():
            reached = within is None or (place + 3 >= within.start and place < within.stop)
            if reached and old.kind is not Kind.RETURN:
                self.words[place] = join(old, spread)

    def forget_below(self, place: int) -> None:
        """Memory below the stack pointer may change at any time."""
        for word in [word for word in self.words if word < place]:
            del self.words[word]


def _pieces(place: int, size: int) -> list[tuple[int, int]]:
    """The words that an access touches, and which bytes of each."""
    word = place & ~3
    bits = ((1 << size) - 1) << (place & 3)
    return [(word, bits & ALL_BYTES)] + ([(word + 4, bits >> 4)] if bits >> 4 else [])
