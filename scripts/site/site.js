// SPDX-License-Identifier: Apache-2.0
// What the pages do beside being read: the menu on narrow screens, copying, searching. All of it works from a file.
"use strict";

const root = document.documentElement.dataset.root;
const find = (selector) => document.querySelector(selector);
document.documentElement.classList.add("scripted");

function make(tag, words, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  element.textContent = words;
  return element;
}

// ---- the menu ----

const menu = find(".menu"), pages = find("#pages");
menu.hidden = false;
menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(pages.classList.toggle("shown"))));
pages.querySelector("[aria-current]")?.scrollIntoView({block: "nearest"});
if (!location.hash) scrollTo(0, 0);

// ---- copying: of a session the commands ----

function toCopy(pre) {
  const text = pre.textContent;
  if (!pre.classList.contains("console")) return text;
  const lines = [];
  let goesOn = false;
  for (const line of text.split("\n")) {
    if (goesOn || /^[$#] /.test(line)) {
      lines.push(goesOn ? line : line.slice(2));
      goesOn = line.endsWith("\\");
    }
  }
  return lines.length ? lines.join("\n") + "\n" : text;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // pages from files may not have the clipboard
    const area = make("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

for (const pre of document.querySelectorAll("pre")) {
  const box = make("div", "", {className: "code"}), button = make("button", "Copy", {type: "button"});
  pre.replaceWith(box);
  box.append(pre, button);
  button.addEventListener("click", async () => {
    await copy(toCopy(pre));
    button.textContent = "Copied";
    button.classList.add("done");
    setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1500);
  });
}

// ---- searching ----

const form = find(".search"), query = find("#query"), results = find("#results"), found = find("#found"), list = results.querySelector("ol");
let rows = null, wanted = false;
form.hidden = false;

// The index is a script, because pages from files may not read files.
function load() {
  if (wanted) return;
  wanted = true;
  document.head.append(Object.assign(document.createElement("script"), {src: root + "search-index.js"}));
}
window.weirSearch = (index) => {
  rows = index.map(([place, title, anchor, heading, words]) => ({place, title, anchor, heading, words,
    names: `${title} ${heading}`.toLowerCase(), all: `${title} ${heading} ${words}`.toLowerCase()}));
  search();
};

function score(row, terms) {
  let sum = 0;
  for (const term of terms) {
    const at = row.all.indexOf(term);
    if (at < 0) return 0;
    sum += 1 + Math.min(4, row.all.split(term).length - 2);
    if (row.names.includes(term)) sum += 12;
    if (row.names.split(/[^\p{L}\p{N}-]+/u).includes(term)) sum += 8;
  }
  sum += row.names.includes(terms.join(" ")) ? 10 : 0;
  return row.place === "changelog.html" ? sum / 4 : sum; // what is comes before what was
}

// Words around the first term, with the terms marked.
function excerpt(words, terms) {
  const low = words.toLowerCase(), places = terms.map((term) => low.indexOf(term)).filter((at) => at >= 0);
  const from = Math.max(0, (places.length ? Math.min(...places) : 0) - 60), text = words.slice(from, from + 200);
  const out = make("small", from > 0 ? "... " : "");
  let rest = text;
  while (rest) {
    const next = terms.map((term) => [rest.toLowerCase().indexOf(term), term.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0])[0];
    if (!next) break;
    out.append(rest.slice(0, next[0]), make("mark", rest.slice(next[0], next[0] + next[1])));
    rest = rest.slice(next[0] + next[1]);
  }
  out.append(rest);
  return out;
}

function search() {
  const terms = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = !terms.length;
  list.replaceChildren();
  if (!terms.length || !rows) {
    found.textContent = terms.length ? "Loading ..." : "";
    return;
  }
  const hits = rows.map((row) => [score(row, terms), row]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]);
  found.textContent = hits.length === 0 ? "Nothing found" : `${hits.length} ${hits.length === 1 ? "place" : "places"}${hits.length > 20 ? ", the first 20" : ""}`;
  for (const [, row] of hits.slice(0, 20)) {
    const link = make("a", "", {href: root + row.place + (row.anchor ? "#" + row.anchor : "")}), item = make("li", "");
    link.append(make("strong", row.heading && row.heading !== row.title ? `${row.title}: ${row.heading}` : row.title), excerpt(row.words, terms));
    item.append(link);
    list.append(item);
  }
}

function leave() {
  results.hidden = true;
}

query.addEventListener("focus", load);
query.addEventListener("input", () => { load(); search(); });
form.addEventListener("submit", (event) => { event.preventDefault(); list.querySelector("a")?.click(); });
list.addEventListener("click", (event) => { if (event.target.closest("a")) leave(); });
document.addEventListener("click", (event) => { if (!event.target.closest(".results, .search")) leave(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    query.focus();
  } else if (event.key === "Escape" && !results.hidden) {
    leave();
    query.focus();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !results.hidden) {
    const stops = [query, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
  }
});
