# SPDX-License-Identifier: Apache-2.0
"""complete.py SHELL FOLDER: types lines into bash, zsh or fish with the completion in FOLDER, and prints for each what the shell made of it.
FOLDER - is for what is installed where the shell looks for it.

Lines come from standard input; a tab is pressed at the end of each."""

import os
import pty
import re
import select
import subprocess
import sys
import time

SHELL, FOLDER = sys.argv[1:]
INSTALLED = FOLDER == "-"
BASH = "/usr/share/bash-completion/bash_completion" if INSTALLED else f"{FOLDER}/weir.bash"
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f". '{BASH}'; bind 'set bell-style none'; bind 'set completion-query-items 0'; "
             "bind 'set page-completions off'; bind 'set enable-bracketed-paste off'"),
    "zsh": (["zsh", "-f", "-i"], ("" if INSTALLED else f"fpath=('{FOLDER}' $fpath); ")
            + "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; setopt no_beep"),
}


def by_fish(lines):
    """fish says it without a terminal."""
    command = ["fish", "-c"] if INSTALLED else ["fish", "--no-config", "-c"]
    script = "" if INSTALLED else f"source '{FOLDER}/weir.fish'\n"
    script += "".join(f"echo LINE; complete -C '{line}'\n" for line in lines)
    said = subprocess.run([*command, script], capture_output=True, text=True, check=True).stdout
    for line, offered in zip(lines, said.split("LINE\n")[1:]):
        words = [word.split("\t")[0] for word in offered.split("\n") if word]
        print(line[: line.rindex(" ") + 1] + words[0] if len(words) == 1 else " ".join([line, *words]))


class Terminal:
    """A shell behind a terminal of its own."""

    def __init__(self):
        command, setup = START[SHELL]
        pid, self.file = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", PS1="", COLUMNS="300", LINES="50", HISTFILE="")
            os.execvp(command[0], command)
        self.type("stty rows 50 cols 300; PS1='READY> '; " + setup + "; echo LOAD''ED\n")
        self.until("LOADED\r?\n.*READY> ", 30)

    def type(self, text):
        os.write(self.file, text.encode())

    def until(self, wanted, seconds):
        """What is shown until it has that, or for so long."""
        shown, end = "", time.monotonic() + seconds
        while not re.search(wanted, shown, re.S) and time.monotonic() < end:
            if select.select([self.file], [], [], 0.2)[0]:
                shown += os.read(self.file, 65536).decode(errors="replace")
        return shown

    def complete(self, line, wanted):
        """What the line is after a tab; then it is given up."""
        self.type(line + "\t")
        shown = self.until(wanted, 20)
        self.type("\x15echo DO''NE\n")  # the line is deleted, not interrupted: an interrupt would also lose what is typed after it
        self.until("DONE\r?\n.*READY> ", 20)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x07]", "", shown)


def main():
    pairs = [line.rstrip("\n").split("\t") for line in sys.stdin]
    if SHELL == "fish":
        by_fish([line for line, _ in pairs])
        return
    terminal = Terminal()
    for line, expected in pairs:
        print(terminal.complete(line, re.escape(expected)).replace("\n", " "))


main()
