# SPDX-License-Identifier: Apache-2.0
"""A parameter study: how fast must detection be, and how deep its queue, for a camera that shows its frames within 80 ms?"""
import weir

made = weir.Builder("Inspection line", unit="ms")
made.operator("camera", (8, 10), period=33.3)
made.operator("detect", (20, 30))
made.operator("display", (1, 5))
made.queue("camera", "detect", "display")
made.latency("camera", "display", deadline=80)
pipeline = made.build()

print(pipeline.analyze().latency["camera", "display"].worst, "as it is")
sweep = pipeline.sweep("detect.worst=30:50:5", "camera->detect.capacity=1:3")
for point in sweep:
    worst = point.worst["camera", "display"]
    print(", ".join(f"{key}={value}" for key, value in point.values.items()), "->", worst or "no bound", "" if point.met else "LATE")
slowest = max(float(point.values["detect.worst"]) for point in sweep if point.met)
print(f"detect may take {slowest:g} ms")
