# SPDX-License-Identifier: Apache-2.0
"""Long calls: Ctrl-C ends them within a second, and other threads go on meanwhile."""

import os
import random
import signal
import threading
import time

import pytest

import weir
from weir import _call


@pytest.fixture(scope="module")
def slow():
    """A pipeline whose analysis takes long: times that differ much, and deep queues beside each other."""
    draw = random.Random(5)
    made = weir.Builder("slow")
    count = 1500
    for i in range(count):
        worst = draw.randint(1000, 9999)
        made.operator(f"o{i}", (draw.randint(0, worst), worst))
    for i in range(1, count):
        for j in sorted({i - 1, draw.randrange(max(0, i - 6), i)}):
            made.queue(f"o{j}", f"o{i}", capacity=draw.randint(1, 60))
    return made.build()


def ask(pipeline):
    return pipeline.analyze(limit=2**62, memory=2**40)


@pytest.mark.parametrize("question", [
    ask,
    lambda p: p.simulate(runs=10**9),
    lambda p: p.simulate(runs=1, iterations=10**9),
    lambda p: p.events(iterations=10**9),
    lambda p: p.sweep("o0.worst=9000:9999:1", limit=2**62),
], ids=["analyze", "simulate", "one long run", "events", "sweep"])
def test_keyboard_interrupt(slow, question):
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = threading.active_count()
    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        question(slow)
    assert time.monotonic() - sent[0] < 1
    timer.join()
    for _ in range(100):  # the library notices, too
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before


def test_two_threads_at_once(slow):
    """Both are in the library while this one, which is in Python, tells them to stop: the lock is nobody's."""
    stop, inside, used = _call.Stop(), [], []

    def work():
        inside.append(threading.get_ident())
        began = time.thread_time()
        stop.watch(lambda: ask(slow))
        used.append(time.thread_time() - began)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    while len(inside) < 2 or time.monotonic() - began < 0.5:
        time.sleep(0.01)
    assert used == [] and all(thread.is_alive() for thread in threads)
    stop.set()
    for thread in threads:
        thread.join(10)
    assert len(used) == 2 and min(used) > 0.02  # each has worked before the other had ended


def test_answers_outlive_names(camera):
    answers = [weir.loads("operators: {a: 5, b: 9}\nqueues: [a -> b]").analyze() for _ in range(20)]
    sweep = camera.change("infer.worst=20").sweep("infer.worst=20,21").answer()
    assert {str(answer.worst.worst) for answer in answers} == {"18"} and sweep.text()
