# SPDX-License-Identifier: Apache-2.0
"""The structs of the package are those of the headers."""

import ctypes
import os
import re
import shutil
import subprocess

import pytest

from weir import _library

COMPILER = shutil.which(os.environ.get("CC", "cc"))


def test_soname(root):
    header = (root / "include" / "weir" / "base.h").read_text()
    major, minor = (re.search(f"WEIR_VERSION_{part} ([0-9]+)", header).group(1) for part in ("MAJOR", "MINOR"))
    assert _library.SONAME == f"libweir.so.{major}.{minor}"


@pytest.mark.skipif(not COMPILER, reason="there is no C compiler")
def test_structs(root, tmp_path):
    lines = []
    for name, struct in _library.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, *_ in struct._fields_:
            member = "from" if field == "from_" else field
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {member}), sizeof(((struct {name} *)0)->{member}));')
    source = tmp_path / "layout.c"
    source.write_text("#define WEIR_EXPERIMENTAL\n#include <weir.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
                      + "\n".join(lines) + "\nreturn 0; }\n")
    program = tmp_path / "layout"
    subprocess.run([COMPILER, "-std=c17", f"-I{root / 'include'}", str(source), "-o", str(program)], check=True)
    expected = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for name, struct in _library.STRUCTS.items():
        found.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            descriptor = getattr(struct, field)
            found.append(f"{name}.{field} {descriptor.offset} {descriptor.size}")
    assert found == expected


def test_functions(root):
    headers = "".join(path.read_text() for path in (root / "include" / "weir").glob("*.h"))
    for name, (_, parameters) in _library.Library.FUNCTIONS.items():
        declared = re.search(rf"\b{name}\(([^;]*)\);", re.sub(r"\s+", " ", headers))
        assert declared, name
        expected = 0 if declared.group(1) == "void" else declared.group(1).count(",") + 1
        assert len(parameters) == expected, name
