# SPDX-License-Identifier: Apache-2.0
"""The gallery: every example model, and what weir itself says about it when the site is made: verdict, timeline, graph, report."""

import html
import json
import pathlib
import re
import shlex
import subprocess
import tempfile

import pages

MODELS = (".yaml", ".xml", ".grc", ".dot")
GROUPS = {".": "Pipelines", "gnuradio": "GNU Radio", "gpu": "Kernels on a GPU", "published": "As published", "sdf3": "SDF3"}
HEAD = ('<h1 id="examples">Examples</h1>\n<p>Every model that comes with weir, with what weir said about it when this page was made. '
        "Reports recompute in the browser where operators have threads of their own.</p>\n")
VERDICTS = {"met": ("good", "deadline met"), "missed": ("bad", "deadline missed"), "none": ("none", "no deadline")}


def sources(root):
    """The files of the examples, which all have a page."""
    return [path.relative_to(root).as_posix() for path in sorted((root / "examples").rglob("*"))
            if path.is_file() and path.suffix not in (".md", ".pyc") and "__pycache__" not in path.parts]


class Example:
    def __init__(self, root, weir, name):
        self.root, self.weir, self.name = root, weir, name
        self.options = self._options()
        with tempfile.TemporaryDirectory() as folder:
            self.scratch = pathlib.Path(folder)
            _, self.text, self.errors = self._run()
            status, said, _ = self._run("--json")
            self.answer = json.loads(said) if said else {}
            self.answered = status in (0, 1, 4)
            self.timeline, self.no_timeline = self._picture("--gantt")
            self.graph, self.no_graph = self._picture("--graph")
            self.report = self._report() if self.answered else None

    def _options(self):
        """What the README beside an example gives to `weir analyze` with it; models that say all need nothing."""
        readme = (self.root / self.name).parent / "README.md"
        if not readme.exists():
            return []
        found = re.search(rf"^weir analyze {re.escape(self.name)}((?: .*)?)$", readme.read_text(), re.M)
        words = shlex.split(found[1]) if found else []
        return [word for word in words if word != "--verify"]

    def _call(self, *words, folder=None):
        run = subprocess.run([self.weir, *words], cwd=folder or self.root, capture_output=True, text=True, check=False)
        if run.returncode < 0:
            raise RuntimeError(f"weir {' '.join(words)}: signal {-run.returncode}")
        return run.returncode, run.stdout, run.stderr

    def _run(self, *options):
        return self._call("analyze", self.name, *self.options, *options)

    def _picture(self, option):
        path = self.scratch / "picture.svg"
        _, _, said = self._run(option, str(path))
        if not path.exists():
            why = re.sub(r"^weir( analyze)?: ", "", said.strip().split("\n")[-1])
            return None, re.sub(r"^(--\w+: )?", "", why).replace(f": {path} is not written", "")
        data = path.read_bytes()
        path.unlink()
        return data, None

    def _report(self):
        """The page about it; a model that needs options is written as one that needs none first."""
        path, model, folder = self.scratch / "report.html", self.name, self.root
        if self.options:
            model, folder = pathlib.PurePosixPath(self.name).stem + ".yaml", self.scratch
            self._call("convert", self.name, *self.options, "-o", str(folder / model))
        _, _, said = self._call("report", model, "--title", self.title, "-o", str(path), folder=folder)
        if not path.exists():
            raise RuntimeError(f"weir report {self.name}: {said}")
        return path.read_bytes()

    @property
    def title(self):
        return self.answer.get("model") or self.name.split("/")[-1]

    def verdict(self):
        if not self.answered:
            return "open", "not enough is known"
        latencies = self.answer.get("latency", [])
        if any(bound.get("unbounded") for bound in latencies):
            return "bad", "no bound"
        states = {bound.get("state", "none") for bound in latencies} or {"none"}
        for state in ("missed", *sorted(states - {"missed", "met", "none"}), "met", "none"):
            if state in states:
                return VERDICTS.get(state, ("open", state))
        return VERDICTS["none"]

    def worst(self):
        """The first latency, in a few words."""
        for bound in self.answer.get("latency", []) if self.answered else []:
            if bound.get("worst") is not None:
                return f"{bound['worst']} {self.answer.get('unit', '')}"
        return f"{self.answer['bound']} {self.answer.get('unit', '')}" if "bound" in self.answer else ""

    def words(self):
        """The comment at its head."""
        lines = []
        for line in (self.root / self.name).read_text().split("\n"):
            found = re.match(r"#+ ?(.*)", line)
            if not found:
                if lines or not re.match(r"\s*(<\?xml.*)?$", line):
                    break
                continue
            if "SPDX" not in found[1]:
                lines.append(found[1])
        return " ".join(lines).strip()

    def said(self):
        """What weir prints, up to how the worst case happens; where it refuses, why."""
        return "\n\n".join(self.text.strip("\n").split("\n\n")[:2]) if self.answered else self.errors.strip("\n")


def figure(site, name, data, why, what, alt):
    if data is None:
        return f'<figure class="picture"><figcaption>No {what}: {html.escape(why or "nothing was drawn")}.</figcaption></figure>'
    place = f"examples/pictures/{name[len('examples/'):]}-{what}.svg"
    site.files[place] = data
    link = pages.relative(pages.GALLERY, place)
    return (f'<figure class="picture {what}"><a href="{link}"><img src="{link}" alt="{html.escape(alt)}" loading="lazy"></a>'
            f"<figcaption>The {what}</figcaption></figure>")


def section(site, example, anchor):
    kind, verdict = example.verdict()
    title, name = example.title, example.name
    links = [f'<a href="{name[len("examples/"):]}.html">the model</a>']
    if example.report:
        site.files[pages.report_place(name)] = example.report
        site.lives.add(name)
        links.insert(0, f'<a href="{pages.relative(pages.GALLERY, pages.report_place(name))}">the report</a>')
    command = " ".join(["weir analyze", name, *(shlex.quote(word) for word in example.options)])
    words = example.words()
    pictures = ""
    if example.answered:
        pictures = '<div class="pictures">' + figure(
            site, name, example.timeline, example.no_timeline, "timeline", f"The worst case of {title} as a timeline") + figure(
            site, name, example.graph, example.no_graph, "graph", f"{title} as a graph of operators and queues") + "</div>\n"
    return (f'<section class="example" aria-labelledby="{anchor}"><h3 id="{anchor}">{html.escape(title)} '
            f'<a class="anchor" href="#{anchor}" aria-label="Link to {html.escape(title)}">#</a></h3>\n'
            f'<p><span class="verdict {kind}">{html.escape(verdict)}</span> <code>{html.escape(name)}</code>: {", ".join(links)}</p>\n'
            + (f"<p>{html.escape(words)}</p>\n" if words else "")
            + f'<pre class="console" tabindex="0"><code>$ {html.escape(command)}\n{html.escape(example.said())}\n</code></pre>\n{pictures}</section>\n')


def add(site, weir):
    """Adds the gallery to the site."""
    groups = {}
    for name in sources(site.root):
        if name.endswith(MODELS):
            groups.setdefault(str(pathlib.PurePosixPath(name).parent.relative_to("examples")), []).append(name)
    body, rows, headings, table = [], [], [(1, "examples", "Examples")], []
    for group, names in sorted(groups.items()):
        title, anchor = GROUPS.get(group, group), f"folder-{group}".replace(".", "pipelines")
        site.folders[f"examples/{group}" if group != "." else "examples"] = anchor
        body.append(f'<h2 id="{anchor}">{title} <a class="anchor" href="#{anchor}" aria-label="Link to {title}">#</a></h2>\n')
        headings.append((2, anchor, title))
        for name in names:
            example = Example(site.root, weir, name)
            mark = re.sub(r"[^a-z0-9]+", "-", name[len("examples/"):])
            body.append(section(site, example, mark))
            kind, verdict = example.verdict()
            table.append(f'<tr><td><a href="#{mark}">{html.escape(example.title)}</a></td><td>{title}</td>'
                         f'<td><span class="verdict {kind}">{html.escape(verdict)}</span></td><td class="right">{html.escape(example.worst())}</td></tr>\n')
            rows.append((mark, example.title, f"{name} {example.words()} {' '.join(example.said().split())}"))
    head = (HEAD + '<div class="scroll" role="region" aria-label="All examples" tabindex="0"><table>\n<thead><tr><th scope="col">example</th>'
            '<th scope="col">group</th><th scope="col">verdict</th><th scope="col" class="right">at most</th></tr></thead>\n<tbody>\n'
            + "".join(table) + "</tbody></table></div>\n")
    for folder in sorted(path for path in (site.root / "examples").iterdir() if path.is_dir()):
        site.folders.setdefault(f"examples/{folder.name}", "examples")
    site.add_page(pages.GALLERY, "Examples", head + "".join(body), rows, headings)
