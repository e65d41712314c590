# SPDX-License-Identifier: Apache-2.0
"""Runs an unmodified application with the settings that weir-gnuradio chose for its flowgraph, by means of WEIR_PLAN in the environment and a
sitecustomize module for Python. The exit status is that of the application."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .hook import VARIABLE

HOOK = """# Written by weir-gnuradio, for one run.
import sys
sys.path.insert(0, {modules!r})
sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
import weir_gnuradio.load, weir_gnuradio.settings
from weir_gnuradio.hook import hook
sys.dont_write_bytecode = before
sys.path.remove({modules!r})
hook({path!r})
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio run", description=__doc__)
    parser.add_argument("plan", help="the folder that weir-gnuradio wrote, or a file of settings")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the application, such as python3 app.py")
    arguments = parser.parse_args()
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        parser.error("which application? -- python3 app.py")
    folder = tempfile.mkdtemp(prefix="weir-gnuradio-")
    try:
        modules = str(Path(__file__).resolve().parent.parent)
        Path(folder, "sitecustomize.py").write_text(HOOK.format(modules=modules, path=folder), encoding="utf-8")
        environment = dict(os.environ, **{VARIABLE: os.path.abspath(arguments.plan)})
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        status = subprocess.run(command, env=environment, check=False).returncode
    except OSError as error:
        print(f"weir-gnuradio: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        status = 127
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(status if status >= 0 else 128 - status)
