# SPDX-License-Identifier: Apache-2.0
"""Linux's scheduling policies for single threads, by sched_setattr and sched_getattr."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import subprocess
import time
from dataclasses import dataclass

SCHED_DEADLINE = 6
RESET_ON_FORK = 1
TELL_OVERRUN = 4  # SIGXCPU for every time that a thread has used up its runtime and goes on
NAMES = {os.SCHED_OTHER: "normal", os.SCHED_FIFO: "FIFO", os.SCHED_RR: "RR", SCHED_DEADLINE: "DEADLINE"}

# What the kernel takes.
RUNTIME_MIN_NS = 1024
PERIOD_MIN_NS = 100_000
PERIOD_MAX_NS = 4_000_000_000
WAKE_UP_NS = 50_000  # of a thread, the kernel's own work for it, and the replenishment of its runtime

ATTEMPTS = 40

CALLS = {"x86_64": (314, 315), "aarch64": (274, 275), "riscv64": (274, 275), "armv7l": (380, 381), "i686": (351, 352)}


class Attributes(ctypes.Structure):
    """struct sched_attr of the kernel, first version."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    ]


@dataclass(frozen=True)
class Reservation:
    """Times in ns."""

    runtime: int
    deadline: int
    period: int


def reserve(cost_ns: float, period_ns: float, margin: float) -> Reservation:
    """What the kernel takes for executions of a cost and a period: a share of the cost more, and not less more than a wake-up takes.
    Periods too short are put together, several to one: the share of the core stays the same."""
    together = max(1, -(-PERIOD_MIN_NS // max(1, int(period_ns))))
    period = min(int(period_ns * together), PERIOD_MAX_NS)
    period = max(period, PERIOD_MIN_NS)
    more = max(cost_ns * margin, WAKE_UP_NS if margin > 0 else 0)
    runtime = min(max(int((cost_ns + more) * together) + 1, RUNTIME_MIN_NS), period)
    return Reservation(runtime, period, period)


def call(which: int, tid: int, attributes: Attributes, last: int) -> None:
    numbers = CALLS.get(platform.machine())
    if numbers is None:
        raise OSError(errno.ENOSYS, f"the number of sched_setattr is not known for {platform.machine()}")
    libc = ctypes.CDLL(None, use_errno=True)
    size = ctypes.sizeof(attributes)
    rest = (ctypes.c_uint(last),) if which == 0 else (ctypes.c_uint(size), ctypes.c_uint(last))
    if libc.syscall(ctypes.c_long(numbers[which]), ctypes.c_int(tid), ctypes.byref(attributes), *rest) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def set_deadline(tid: int, reservation: Reservation, tell: bool = False) -> None:
    attributes = Attributes(
        size=ctypes.sizeof(Attributes),
        policy=SCHED_DEADLINE,
        flags=RESET_ON_FORK | (TELL_OVERRUN if tell else 0),
        runtime=reservation.runtime,
        deadline=reservation.deadline,
        period=reservation.period,
    )
    call(0, tid, attributes, 0)


def rehearse(reservations: list[Reservation]) -> None:
    """Raises OSError where the kernel would refuse one of them. Linux 6.18 never gives back the bandwidth of a thread that leaves
    SCHED_DEADLINE while it waits, only of one that ends: so stand-ins that can be killed try it first."""
    stand_ins = []
    try:
        for reservation in reservations:
            stand_ins.append(subprocess.Popen(["sleep", "60"]))
            set_deadline(stand_ins[-1].pid, reservation)
    finally:
        for stand_in in stand_ins:
            stand_in.kill()
            stand_in.wait()


def insist(tid: int, reservation: Reservation) -> None:
    """The same for a thread that is to keep it, of a process that counts SIGXCPU. What stand-ins held is free again only some periods later."""
    for attempt in range(ATTEMPTS):
        try:
            set_deadline(tid, reservation, tell=True)
            return
        except OSError as error:
            if error.errno != errno.EBUSY or attempt == ATTEMPTS - 1:
                raise
            time.sleep(0.05)


def set_fifo(tid: int, priority: int) -> None:
    os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(priority))


def set_normal(tid: int) -> None:
    os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))


def read_back(tid: int) -> Attributes:
    attributes = Attributes()
    call(1, tid, attributes, 0)
    return attributes


def describe(attributes: Attributes) -> str:
    name = NAMES.get(attributes.policy, f"policy {attributes.policy}")
    if attributes.policy == SCHED_DEADLINE:
        times = (attributes.runtime, attributes.deadline, attributes.period)
        return f"{name} runtime {times[0] / 1000:.1f} us, deadline {times[1] / 1000:.1f} us, period {times[2] / 1000:.1f} us"
    return f"{name} priority {attributes.priority}" if attributes.priority else name
