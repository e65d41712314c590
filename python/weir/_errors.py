# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and where in which file."""

from __future__ import annotations

import ctypes
import errno
import os
from contextlib import contextmanager
from typing import Iterator, NamedTuple, NoReturn, Optional, Sequence

from . import _library
from ._library import library

OK, INVALID, MEMORY, OVERFLOW, IO, INTERNAL = range(6)


class Mistake(NamedTuple):
    """One message; `line` and `column` count from 1, and are None where it is not about a place in a file."""

    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None

    def __str__(self) -> str:
        place = self.file or ""
        for part in (self.line, self.column):
            place += f":{part}" if part is not None else ""
        return f"{place}: {self.message}" if place else self.message


class WeirError(Exception):
    """Of the first mistake: `message`, `file`, `line`, `column` (None: not about a place); `mistakes` has all of them."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__("\n".join(str(mistake) for mistake in mistakes))
        self.mistakes: tuple[Mistake, ...] = tuple(mistakes)
        self.message, self.file, self.line, self.column = self.mistakes[0]

    def __reduce__(self) -> tuple[type, tuple[tuple[Mistake, ...]]]:
        return type(self), (self.mistakes,)

    def __str__(self) -> str:
        return "\n".join(str(mistake) for mistake in self.mistakes)


class InvalidError(WeirError, ValueError):
    """A model, a change or an option is wrong, or no engine answers for it."""


class FileError(WeirError, OSError):
    """A file cannot be read or written; `errno` and `filename` as of every OSError."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__(mistakes)
        self.filename = self.file
        for code in errno.errorcode:
            if self.message.endswith(os.strerror(code)):
                self.errno = code


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class TimeOverflowError(WeirError, OverflowError):
    """A time or a count does not fit; there is never a wrong number instead."""


class InternalError(WeirError, RuntimeError):
    """A check of weir's own failed: a bug in weir."""


_KINDS: dict[int, type[WeirError]] = {INVALID: InvalidError, OVERFLOW: TimeOverflowError, IO: FileError, INTERNAL: InternalError}


def mistake_of(error: _library.Error) -> Mistake:
    """The mistake that a struct weir_error has."""
    return Mistake(error.message.decode(errors="replace"), error.file.decode(errors="replace") or None, error.line or None,
                   error.column or None)


def fail(status: int, mistakes: Sequence[Mistake]) -> NoReturn:
    """Raises the exception that goes with the status."""
    if status == MEMORY:
        raise MemoryError("weir")
    error = _KINDS.get(status, WeirError)(mistakes or [Mistake("weir gives no reason")])
    if isinstance(error, FileError) and error.errno == errno.ENOENT:
        error = MissingFileError(mistakes)
    raise error


def check(status: int, error: _library.Error) -> None:
    """Raises what a function that takes a struct weir_error reported."""
    if status != OK:
        fail(status, [mistake_of(error)])


class Mistakes:
    """A struct weir_errors."""

    def __init__(self) -> None:
        self.handle: Optional[int] = library.weir_errors_new()
        if not self.handle:
            raise MemoryError("weir")

    def all(self) -> list[Mistake]:
        """What is in it."""
        return [mistake_of(library.weir_errors_at(self.handle, i).contents) for i in range(library.weir_errors_count(self.handle))]

    def check(self, status: int) -> None:
        """Raises what is in it, unless the status is good."""
        if status != OK:
            fail(status, self.all())


@contextmanager
def mistakes() -> Iterator[Mistakes]:
    """A list for the functions that report every mistake."""
    made = Mistakes()
    try:
        yield made
    finally:
        library.weir_errors_free(made.handle)


def new_error() -> _library.Error:
    """For functions that report one mistake; pass it by reference."""
    return _library.Error()


by = ctypes.byref
