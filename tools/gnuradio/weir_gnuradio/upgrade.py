# SPDX-License-Identifier: Apache-2.0
"""Converts an XML flowgraph, as written by GNU Radio Companion before 3.8, to the current .grc format, with GNU Radio's own reader."""

from __future__ import annotations

import argparse
from pathlib import Path

from .flowgraph import fail, import_gnuradio


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio upgrade", description=__doc__)
    parser.add_argument("old", help="the XML file")
    parser.add_argument("-o", "--output", required=True, help="the .grc file to write")
    arguments = parser.parse_args()
    gr = import_gnuradio()
    if not Path(arguments.old).is_file():
        fail(f"cannot read {arguments.old}: there is no such file")
    from gnuradio.grc.core.platform import Platform

    parts = (gr.major_version(), gr.api_version(), gr.minor_version())
    platform = Platform(name="weir-gnuradio upgrade", prefs=gr.prefs(), version=gr.version(), version_parts=parts)
    platform.build_library()
    flowgraph = platform.make_flow_graph(arguments.old)
    if flowgraph is None or not flowgraph.blocks:
        fail(f"GNU Radio cannot read {arguments.old}")
    platform.save_flow_graph(arguments.output, flowgraph)
    flowgraph.rewrite()
    flowgraph.validate()
    for element, message in flowgraph.iter_error_messages():
        print(f"{getattr(element, 'name', None) or element}: {str(message).strip()}")
