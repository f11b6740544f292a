"""What storages mean for the matrix core: zero points and clamps of stored bytes, channel orders."""

from __future__ import annotations

from byrote.kernel import Layout, Storage


def channel_order(storage: Storage, channels: int) -> tuple[int, ...]:
    """The logical channel at each stored position."""
    return storage.channels if storage.channels is not None else tuple(range(channels))


def stored(value: int, storage: Storage) -> int:
    """An int8 value as it is stored."""
    return value + 128 if storage.unsigned else value


def columns(storage: Storage, width: int) -> int:
    """Columns of a row as stored, padding included."""
    return storage.pitch if storage.layout is Layout.HCW and storage.pitch else width


def distances(storage: Storage, width: int, channels: int) -> tuple[int, int]:
    """Bytes from pixel to pixel of a row, and from channel to channel of a pixel."""
    return (channels, 1) if storage.layout is Layout.HWC else (1, columns(storage, width))
