# SPDX-License-Identifier: Apache-2.0
"""Markdown to HTML: cmark-gfm renders, and what a site needs is added: anchors on headings, tables and pictures that scroll by themselves."""

import html
import re
import shutil
import subprocess


def available():
    return shutil.which("cmark-gfm") is not None


def plain(text):
    """The words of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def slug(words, taken):
    """The anchor of a heading, as hosts of repositories make it, so that links work there and here."""
    name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
    count = taken.get(name, -1) + 1
    taken[name] = count
    return f"{name}-{count}" if count else name


class Document:
    """A file that was rendered: its title, its HTML, and its headings as (level, anchor, words)."""

    def __init__(self, text):
        run = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink"], input=text.encode(), stdout=subprocess.PIPE, check=True)
        self.headings = []
        taken = {}
        body = re.sub(r"<h([1-6])>(.*?)</h\1>", lambda m: self._heading(int(m[1]), m[2], taken), run.stdout.decode(), flags=re.S)
        body = re.sub(r"<table>(.*?)</table>", _table, body, flags=re.S)
        body = re.sub(r'<p><img src="([^"]*)" alt="([^"]*)" /></p>', _picture, body)
        body = re.sub(r"<pre><code( class=\"language-(\w+)\")?>", lambda m: f'<pre class="{m[2] or "plain"}" tabindex="0"><code>', body)
        self.html = body
        self.title = self.headings[0][2] if self.headings else ""

    def _heading(self, level, inner, taken):
        words = plain(inner)
        anchor = slug(words, taken)
        self.headings.append((level, anchor, words))
        link = "" if level == 1 else f' <a class="anchor" href="#{anchor}" aria-label="Link to {html.escape(words)}">#</a>'
        return f'<h{level} id="{anchor}">{inner}{link}</h{level}>'

    def sections(self):
        """The words of the document, by the heading above them: (anchor, heading, words)."""
        pieces = re.split(r'(?=<h[1-6] id=")', self.html)
        for piece in pieces:
            head = re.match(r'<h([1-6]) id="([^"]*)">(.*?)</h\1>', piece, re.S)
            anchor, heading = (head[2], plain(re.sub(r'<a class="anchor".*?</a>', "", head[3])).strip()) if head else ("", "")
            words = re.sub(r"<!--.*?-->", " ", piece[head.end() if head else 0:], flags=re.S)
            words = plain(re.sub(r"</(p|td|th|li|pre)>", " ", words))
            yield anchor, heading, " ".join(words.split())


def _table(found):
    inner = re.sub(r' align="(\w+)"', r' class="\1"', found[1]).replace("<th", '<th scope="col"').replace('<th scope="col"ead', "<thead")
    return f'<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>{inner}</table></div>'


def _picture(found):
    return f'<figure class="scroll" role="group" tabindex="0"><a href="{found[1]}"><img src="{found[1]}" alt="{found[2]}"></a></figure>'
