# SPDX-License-Identifier: Apache-2.0
"""How pipelines, answers and sweeps show themselves in a notebook."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Iterable, Optional

from ._errors import WeirError
from ._time import Time

if TYPE_CHECKING:
    from ._answer import Answer, Bound
    from ._explore import Sweep
    from ._pipeline import Pipeline


def _picture(svg: str, alternative: str) -> str:
    # As an image: the style of one picture is not that of another, nor of the page.
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alternative)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _time(time: Optional[Time]) -> str:
    return "" if time is None else str(time)


def _worst(bound: Bound) -> str:
    claim = bound.worst_case.claim
    return claim if bound.worst is None else f"{bound.worst} ({claim})"


def pipeline_html(pipeline: Pipeline) -> str:
    """Its drawing, where Graphviz is there, and what answers for it."""
    title = f"<p><b>{escape(pipeline.title)}</b>: {len(pipeline.operators)} operators, {escape(pipeline.engine)}</p>"
    try:
        return title + _picture(pipeline.draw(), f"the pipeline {pipeline.title}")
    except WeirError:
        return title


def answer_html(answer: Answer) -> str:
    """The verdict, as the program says it first, a table of the latencies, and the worst case as it happens."""
    text = answer.text()
    title = f"<p><b>{escape(text.splitlines()[0])}</b></p>"
    observed = any(bound.observed for bound in answer.bounds)
    heads = ["latency", "worst", "best", "deadline", "state"] + (["observed at most"] if observed else [])
    rows = [[bound.name, _worst(bound), _time(bound.best), _time(bound.deadline), "" if bound.state == "none" else bound.state]
            + ([_time(bound.observed.max if bound.observed else None)] if observed else []) for bound in answer.bounds]
    table = title + _table(heads, rows) if rows else f"<pre>{escape(text)}</pre>"
    pictures = "".join(_picture(chart, "a chart of the search") for chart in answer.charts())
    try:
        svg = answer.svg() if rows else None
    except WeirError:  # too long to be drawn
        svg = None
    return table + pictures + (_picture(svg, "the worst case over time") if svg else "")


def sweep_html(sweep: Sweep, most: int = 50) -> str:
    """A table of the points, and the charts."""
    heads = [*sweep.axes, *(" -> ".join(ends) if any(ends) else "whole" for ends in sweep.latencies), "deadlines"]
    rows = [[*point.values.values(), *map(_time, point.worst.values()),
             point.state if point.state != "done" else "met" if point.met else "not met"] for point in sweep[:most]]
    more = f"<p>and {len(sweep) - most} more</p>" if len(sweep) > most else ""
    return _table(heads, rows) + more + "".join(_picture(chart, "a chart of the sweep") for chart in sweep.answer().charts())
