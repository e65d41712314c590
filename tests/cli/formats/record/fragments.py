# SPDX-License-Identifier: Apache-2.0
"""A distributed application of the stand-in, whose fragments are composed when it runs."""
from holoscan.core import Application, Fragment, Operator


class Left(Fragment):
    def compose(self):
        camera = Operator(self, name="camera", time=2000, outputs=["out"])
        clean = Operator(self, name="clean", time=1000, inputs={"in": 1}, outputs=["out"])
        self.add_flow(camera, clean, {("out", "in")})


class Right(Fragment):
    def compose(self):
        infer = Operator(self, name="infer", time=9000, inputs={"in": 1}, outputs=["out"])
        view = Operator(self, name="view", time=3000, inputs={"in": 1})
        self.add_flow(infer, view, {("out", "in")})


class App(Application):
    def compose(self):
        self.add_fragment_flow(Left(self, "left"), Right(self, "right"), {("clean.out", "infer.in")})


App().run()
