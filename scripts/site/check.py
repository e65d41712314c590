# SPDX-License-Identifier: Apache-2.0
"""Links between the pages of the site: what they lead to is there, and nothing is asked of a network."""

import html.parser
import posixpath
import re
import urllib.parse


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []  # links: (attribute, value)
        self.twice = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.twice += [value] if value in self.ids else []
                self.ids.add(value)
            if name in ("href", "src") and tag != "use":
                self.links.append((tag, value or ""))


def counted(written):
    return sum(len(Links(data.decode()).links) for name, data in written.items() if name.endswith(".html") and not name.startswith("reports/"))


def line_of(link, text):
    """The line in which a Markdown file has a link that leads nowhere."""
    wanted = [posixpath.basename(link.split("#")[0]), link.split("#")[-1] if "#" in link else ""]
    for number, line in enumerate(text.split("\n"), 1):
        for target in re.findall(r"\]\(([^) ]+)\)", line):
            if target == link or "#" in link and target.split("#")[-1] == wanted[1] and target.count("#"):
                return number
    return 1


def problems(written, origin):
    pages = {name: Links(data.decode()) for name, data in written.items() if name.endswith(".html") and not name.startswith("reports/")}
    found = []
    for name, page in pages.items():
        for link in page.twice:
            found.append(f"{origin(name)[0]}:1: two things on the page are called #{link}")
        for tag, link in page.links:
            why = problem(name, tag, link, pages, written)
            if why:
                file, text = origin(name)
                found.append(f"{file}:{line_of(link, text)}: {why}")
    return found


def problem(name, tag, link, pages, written):
    """Why a link of a page is none; None where it is one."""
    if link.startswith("data:"):
        return None
    if re.match(r"[a-z]+:|//", link):
        return None if tag == "a" else f"<{tag}> asks a network for {link}"
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if target not in written:
        return f"there is no {link}"
    if anchor and target in pages and anchor not in pages[target].ids:
        return f"there is no #{anchor} in {target}: {link}"
    return None
