# SPDX-License-Identifier: Apache-2.0
"""Long calls: Ctrl-C ends them within a second, and other threads go on meanwhile."""

import os
import random
import signal
import subprocess
import sys
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


@pytest.fixture
def interruptible():
    """Whoever is started in the background ignores Ctrl-C, and so does what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ask(pipeline):
    return pipeline.analyze(limit=2**62, memory=2**40)


@pytest.mark.parametrize("question", [
    ask,
    lambda p: p.simulate(runs=10**9),
    lambda p: p.simulate(runs=1, iterations=10**9),
    lambda p: p.events(iterations=10**9),
    lambda p: p.sweep("o0.worst=9000:9999:1", limit=2**62),
], ids=["analyze", "simulate", "one long run", "events", "sweep"])
def test_keyboard_interrupt(slow, interruptible, question):
    sent = []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    before = threading.active_count()
    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        question(slow)
    assert time.process_time() - sent[0] < 1  # of the processor's time: others may have work for it, too
    timer.join()
    for _ in range(1200):  # the library notices, too
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before


def test_two_threads_at_once(slow):
    """Both are in the library while this one, which is in Python, tells them to stop: the lock is nobody's."""
    stop, ended = _call.Stop(), []

    def work():
        stop.watch(lambda: ask(slow))
        ended.append(True)

    def used(thread):
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(6000):  # until each has worked, before either has ended
        if ended or min(map(used, threads)) > 0.05:
            break
        time.sleep(0.01)
    assert not ended and min(map(used, threads)) > 0.05
    stop.set()
    for thread in threads:
        thread.join(60)
    assert len(ended) == 2


def test_exit_during_a_call(tmp_path):
    """A call that was given up and goes on does not bring the interpreter down when that ends."""
    program = tmp_path / "leave.py"
    program.write_text("""
import threading, weir
from weir import _call
made = weir.Builder("deep")
for i in range(400):
    made.operator(f"o{i}", (i % 7, 1000 + i * 37 % 9001))
for i in range(1, 400):
    for j in {i - 1, max(0, i - 5)}:
        made.queue(f"o{j}", f"o{i}", capacity=1 + i * 13 % 60)
pipeline = made.build()
threading.Thread(target=lambda: pipeline.analyze(limit=2**62, memory=2**40), daemon=True).start()
thread = threading.Thread(target=lambda: None)
thread.start()
thread.join()
""")
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(weir.__file__))}
    for _ in range(5):
        assert subprocess.run([sys.executable, program], env=environment, check=False).returncode == 0


def test_answers_outlive_names(camera):
    answers = [weir.loads("operators: {a: 5, b: 9}\nqueues: [a -> b]").analyze() for _ in range(20)]
    sweep = camera.change("infer.worst=20").sweep("infer.worst=20,21").answer()
    assert {str(answer.worst.worst) for answer in answers} == {"18"} and sweep.text()
