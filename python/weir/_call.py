# SPDX-License-Identifier: Apache-2.0
"""Calls that take long: they release the interpreter's lock, and Ctrl-C ends them."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Callable, Generic, Optional, TypeVar

from ._errors import check, new_error
from ._library import library

T = TypeVar("T")
PATIENCE = 0.5  # seconds for the library to notice that it is to stop


def owned(owner: object, free: Callable[..., object], handle: Any) -> None:
    """Frees the handle when its owner is gone; not when the interpreter ends: a call that was given up may still be using it."""
    weakref.finalize(owner, free, handle).atexit = False


class Stop:
    """What the library looks at while it works; set it from any thread."""

    def __init__(self) -> None:
        self.flag = ctypes.c_bool(False)

    def set(self) -> None:
        """Whatever looks at it comes to an end."""
        self.flag.value = True

    def watch(self, function: Callable[[], T]) -> T:
        """Calls the function; what this thread asks in it looks at the flag."""
        before = library.weir_interrupt_watch(ctypes.addressof(self.flag))
        try:
            return function()
        finally:
            library.weir_interrupt_watch(before)


class _Worker(threading.Thread, Generic[T]):
    def __init__(self, function: Callable[[], T], stop: Stop) -> None:
        super().__init__(name="weir", daemon=True)
        self.function: Optional[Callable[[], T]] = function
        self.stop = stop
        self.over = threading.Event()
        self.result: list[T] = []
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        assert self.function
        try:
            self.result.append(self.stop.watch(self.function))
        except BaseException as error:  # the caller raises it
            self.error = error
        self.function = None
        self.over.set()


def call(function: Callable[[], T], stop: Optional[Stop] = None) -> T:
    """Calls the function. In the main thread, which is the one that signals interrupt, another thread does, and this one waits: a
    KeyboardInterrupt (or whatever else a handler raises) stops the library and goes on. Should the library not notice, the other
    thread is left to end by itself, and what it finds is dropped."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    worker = _Worker(function, stop or Stop())
    worker.start()
    try:
        worker.over.wait()
    except BaseException:
        worker.stop.set()
        worker.over.wait(PATIENCE)
        raise
    if worker.error is not None:
        raise worker.error
    return worker.result[0]


def written(write: Callable[..., int], *arguments: Any) -> str:
    """What one of the library's functions writes to a FILE; its stream and its error come last."""
    text, size, error = ctypes.c_void_p(), ctypes.c_size_t(), new_error()
    stream = library.libc.open_memstream(ctypes.byref(text), ctypes.byref(size))
    if not stream:
        raise MemoryError("weir")
    status = write(*arguments, stream, ctypes.byref(error))
    closed = library.libc.fclose(stream)
    try:
        check(status, error)
        if closed != 0 or not text.value:
            raise MemoryError("weir")
        return ctypes.string_at(text.value, size.value).decode()
    finally:
        library.libc.free(text)
