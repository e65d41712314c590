# SPDX-License-Identifier: Apache-2.0
from .core import Arg


class Scheduler:
    def __init__(self, fragment, **arguments):
        self.args = [Arg(name, value) for name, value in arguments.items()]


class GreedyScheduler(Scheduler):
    pass


class MultiThreadScheduler(Scheduler):
    worker_thread_number = 1
    check_recession_period_ms = 5  # a whole number, as the SDK has it: the argument is the exact one


class EventBasedScheduler(Scheduler):
    worker_thread_number = 1
