# SPDX-License-Identifier: Apache-2.0
"""The pages of the site: where each goes, what it links to, and what stands around it."""

import html
import json
import pathlib
import posixpath
import re

import markdown

HERE = pathlib.Path(__file__).resolve().parent
SECTION_OF_EXAMPLES = "See examples"
GALLERY = "examples/index.html"


class Page:
    def __init__(self, place, title, body, origin, sections=(), headings=()):
        self.place, self.title, self.body, self.origin = place, title, body, origin
        self.sections, self.headings = list(sections), list(headings)


class Site:
    def __init__(self, root):
        self.root = root
        self.pages = {}  # by the file of the repository that each was made of
        self.files = {}  # by where they go
        self.folders = {}  # what a link to a folder of the repository leads to
        self.lives = set()  # models that have a report
        self.problems = []

    def place(self, name):
        """Where a file of the repository lies on the site."""
        if name == "README.md":
            return "index.html"
        if name == "docs/README.md":
            return "contents.html"
        name = name[len("docs/"):] if name.startswith("docs/") else name
        if name.endswith("/README.md"):
            return name[:-len("README.md")] + "index.html"
        if name.endswith(".md"):
            return name[:-len(".md")].lower() + ".html"
        return name if name.startswith("pictures/") else name + ".html"

    def add_markdown(self, name):
        document = markdown.Document((self.root / name).read_text())
        sections = list(document.sections())
        self.pages[name] = Page(self.place(name), document.title, document.html, name, sections, document.headings)

    def add_source(self, name):
        text = (self.root / name).read_text()
        kind = pathlib.PurePosixPath(name).suffix[1:] or "plain"
        body = f'<h1 id="top">{html.escape(name)}</h1>\n<pre class="{kind}" tabindex="0"><code>{html.escape(text)}</code></pre>\n'
        self.pages[name] = Page(self.place(name), name, body, name)

    def add_page(self, place, title, body, sections, headings):
        self.pages[place] = Page(place, title, body, "examples", sections, headings)

    def origin(self, place):
        """The file of the repository that a page was made of, with its text."""
        for page in self.pages.values():
            if page.place == place:
                path = self.root / page.origin
                return page.origin, path.read_text() if path.is_file() else ""
        return place, ""

    def _target(self, page, link):
        """Where a link of a page of the repository leads on the site."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, mark, anchor = html.unescape(link).partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page.origin), path))
        if name in self.pages:
            place = self.pages[name].place
        elif name in self.folders:
            place, mark, anchor = GALLERY, "#", self.folders[name]
        elif self.place(name) in self.files:
            place = self.place(name)
        else:
            return link  # the check finds it
        return html.escape(relative(page.place, place)) + mark + anchor

    def _live(self, page, model):
        if model not in self.lives:
            self.problems.append(f"{page.origin}: there is no report about {model}")
            return ""
        report = relative(page.place, report_place(model))
        return (f'<figure class="live"><iframe src="{report}" title="The report about {model}, live" loading="lazy"></iframe>'
                f'<figcaption>Move the sliders under <em>What if?</em>: the engine of weir runs in this page. '
                f'<a href="{report}">Open the report by itself</a>.</figcaption></figure>')

    def _body(self, page):
        body = re.sub(r"<!-- live (\S+) -->", lambda m: self._live(page, m[1]), page.body)
        body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
        if page.place == GALLERY:
            return body
        return re.sub(r'(<(?:a|img)\b[^>]*? (?:href|src)=")([^"]*)"', lambda m: f'{m[1]}{self._target(page, m[2])}"', body)

    def _navigation(self):
        """Sections of the sidebar as (words, pages): what docs/README.md lists, and below a page that lists others of its folder, those."""
        sections = [(SECTION_OF_EXAMPLES, [(GALLERY, "Gallery of examples")])]
        for row in re.findall(r"<tr>(.*?)</tr>", self.pages["docs/README.md"].body, re.S):
            cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)
            if cells:
                sections.append((first_up(markdown.plain(cells[0])), [self._listed("docs/README.md", link, words) for link, words in anchors(cells[1])]))
        return [sections[1], sections[0], *sections[2:]] if len(sections) > 1 else sections

    def _listed(self, origin, link, words):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(origin), html.unescape(link).split("#")[0]))
        return name, first_up(markdown.plain(words))

    def _below(self, name):
        """Pages of the same folder that an index lists."""
        if not name.endswith("/README.md"):
            return []
        listed = [self._listed(name, link, words) for link, words in anchors(self.pages[name].body)]
        return [(other, words) for other, words in listed if posixpath.dirname(other) == posixpath.dirname(name) and other != name]

    def _order(self, navigation):
        order = ["README.md"]
        for _, listed in navigation:
            for name, _ in listed:
                order += [name, *(below for below, _ in self._below(name))] if name in self.pages else []
        for name in self.pages:
            if name.startswith("docs/") and name not in order and name != "docs/README.md":
                self.problems.append(f"{name}: docs/README.md does not list it")
        return order

    def _sidebar(self, page, navigation):
        out = []
        for words, listed in navigation:
            items = []
            for name, label in listed:
                if name not in self.pages:
                    self.problems.append(f"docs/README.md: there is no {name}")
                    continue
                below = self._below(name)
                inside = name == page.origin or any(other == page.origin for other, _ in below)
                nested = "<ul>" + "".join(item(self.pages[other], label, page) for other, label in below) + "</ul>" if below and inside else ""
                items.append(item(self.pages[name], label, page, nested))
            out.append(f"<h2>{html.escape(words)}</h2>\n<ul>\n" + "\n".join(items) + "\n</ul>\n")
        return "".join(out)

    def write(self, version):
        """Every file of the site, by its name."""
        navigation = self._navigation()
        order = [self.pages[name] for name in self._order(navigation)]
        template = (HERE / "page.html").read_text()
        written = dict(self.files)
        for page in self.pages.values():
            at = order.index(page) if page in order else None
            fields = {
                "title": html.escape("weir" if page.place == "index.html" else f"{page.title} - weir"),
                "root": "../" * page.place.count("/"),
                "sidebar": self._sidebar(page, navigation),
                "contents": contents(page),
                "body": self._body(page),
                "turn": turn(page, order, at) if at is not None else "",
                "foot": f"weir {version}, Apache-2.0. Made of <code>{html.escape(page.origin)}</code>.",
            }
            written[page.place] = re.sub(r"\{\{(\w+)\}\}", lambda m: fields[m[1]], template).encode()
        written["site.css"] = (HERE / "site.css").read_bytes()
        written["site.js"] = (HERE / "site.js").read_bytes()
        written["search-index.js"] = self._index().encode()
        return dict(sorted(written.items()))

    def _index(self):
        rows = [[page.place, page.title, anchor, heading, words]
                for page in self.pages.values() for anchor, heading, words in page.sections if heading or words]
        return "weirSearch(" + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ");\n"


def anchors(text):
    """Links in HTML: (target, words)."""
    return re.findall(r'<a href="([^"#][^"]*)">(.*?)</a>', text, re.S)


def first_up(words):
    return words[:1].upper() + words[1:]


def relative(place, target):
    return posixpath.relpath(target, posixpath.dirname(place) or ".")


def report_place(model):
    return f"reports/{model[len('examples/'):]}.html"


def item(target, label, page, nested=""):
    current = ' aria-current="page"' if target is page else ""
    return f'<li><a href="{relative(page.place, target.place)}"{current}>{html.escape(label)}</a>{nested}</li>'


def contents(page):
    """The headings of a page, where there are several."""
    listed = [(anchor, words) for level, anchor, words in page.headings if level == 2]
    if len(listed) < 2:
        return ""
    items = "".join(f'<li><a href="#{anchor}">{html.escape(words)}</a></li>\n' for anchor, words in listed)
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>\n{items}</ul></nav>'


def turn(page, order, at):
    out = []
    for step, word, kind in ((-1, "Previous", "prev"), (1, "Next", "next")):
        if 0 <= at + step < len(order):
            other = order[at + step]
            title = "weir" if other.place == "index.html" else other.title
            out.append(f'<a rel="{kind}" href="{relative(page.place, other.place)}"><small>{word}</small> {html.escape(title)}</a>')
    return f'<nav class="turn" aria-label="Previous and next page">{"".join(out)}</nav>'
