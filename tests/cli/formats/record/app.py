# SPDX-License-Identifier: Apache-2.0
"""An application of the stand-in: one camera, an inference, a display that reads an overlay where there is one."""
import sys

from holoscan.conditions import CountCondition, PeriodicCondition, PeriodicConditionPolicy
from holoscan.core import Application, Operator, Tracker
from holoscan.schedulers import MultiThreadScheduler


class App(Application):
    def compose(self):
        policy = PeriodicConditionPolicy.NO_CATCH_UP_MISSED_TICKS
        periodic = PeriodicCondition(self, 40_000_000, policy=policy)
        camera = Operator(self, CountCondition(self, 20), periodic, name="camera", time=2000, outputs=["out"])
        infer = Operator(self, name="infer", time=9000, inputs={"in": 1}, outputs=["out"])
        batch = Operator(self, name="batch", time=1000, inputs={"in": 4})
        view = Operator(self, name="view", time=3000, inputs={"frame": 1, "overlay": 2}, none=["overlay"])
        self.add_flow(camera, infer, {("out", "in")})
        self.add_flow(camera, view, {("out", "frame")})
        self.add_flow(infer, view, {("out", "overlay")})
        self.add_flow(infer, batch, {("out", "in")})


app = App(name="Demo App" if "named" in sys.argv else "")
if "polled" in sys.argv:
    app.scheduler(MultiThreadScheduler(app, worker_thread_number=3, check_recession_period_ms=0.5))
if "fails" in sys.argv:
    app.graph.port_map_description = None
if "old" in sys.argv:  # a version that has neither
    from holoscan.core import Graph, _Application

    del _Application.compose_graph, Graph.port_map_description
if "tracked" in sys.argv:
    with Tracker(app, filename="own.log"):
        app.run()
else:
    app.run()
if "twice" in sys.argv:
    app.run()
print("the application has run")
sys.exit(5 if "status" in sys.argv else 0)
