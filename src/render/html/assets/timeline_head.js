// SPDX-License-Identifier: Apache-2.0
// What stays in view above the lanes of a timeline: its scale, the latency and its deadline, the journey of the measured message;
// and the small picture of the whole below them.
"use strict";

const WEIR_RULER_HEIGHT = 22, WEIR_SCALE_HEIGHT = 20, WEIR_LEG_HEIGHT = 24, WEIR_MARKS_HEIGHT = 16;
const WEIR_LEGS = ["running", "waiting", "blocked", "underway"]; // names of looks, too
const WEIR_STATES = ["open", "kept", "open", "open", "limit"]; // met is green, missed is red

const weirEscape = (text) => String(text).replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
const weirRound = (number) => Math.round(number * 10) / 10;

// Text that fits into so many pixels: the first of some, or nothing.
function weirFits(texts, room, each = 6.7) {
  return texts.find((text) => text.length * each + 6 <= room) ?? "";
}

// How wide a text is, in the font of pictures.
const weirWide = (() => {
  const known = new Map();
  let pen = null;
  return (text, weight = 400) => {
    pen ??= document.createElement("canvas").getContext("2d");
    const key = `${weight} ${text}`;
    if (!known.has(key)) {
      pen.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
      known.set(key, pen.measureText(text).width);
    }
    return known.get(key);
  };
})();

class WeirTimelineHead {
  constructor(timeline) {
    this.t = timeline;
    this.data = timeline.data;
    this.clock = timeline.clock;
  }

  svg() {
    const {t} = this, parts = [];
    let y = 0;
    for (const ruler of this.data.rulers) {
      parts.push(this.ruler(ruler, y));
      y += WEIR_RULER_HEIGHT;
    }
    if (this.data.legs.length) {
      parts.push(this.legs(y + 2));
      y += WEIR_LEG_HEIGHT + 4;
    }
    if (this.data.markers.some((m) => m.label)) {
      parts.push(this.markers(y));
      y += WEIR_MARKS_HEIGHT;
    }
    parts.push(this.scale(y));
    y += WEIR_SCALE_HEIGHT;
    return `<svg class="tl" width="${t.whole}" height="${y}" viewBox="0 0 ${t.whole} ${y}" role="img" aria-label="${weirEscape(this.data.summary)}">${parts.join("")}</svg>`;
  }

  clip(x) {
    return Math.min(Math.max(x, this.t.left), this.t.left + this.t.width);
  }

  scale(y) {
    const {t} = this, right = t.left + t.width;
    const ticks = this.clock.scale(t.view.from, t.view.to, t.width, t.compact ? 70 : 90);
    const texts = ticks.map(([place, text]) => {
      const x = t.x(place), middle = Math.min(Math.max(x, t.left + text.length * 3.4), right - text.length * 3.4);
      return `<path class="tl-tick" d="M${weirRound(x)} ${y + 15}v5"/><text class="tl-faint" text-anchor="middle" x="${weirRound(middle)}" y="${y + 12}">${text}</text>`;
    });
    const unit = t.compact ? "" : `<text class="tl-faint" x="8" y="${y + 12}">time in ${weirEscape(this.data.unit)}</text>`;
    return `${unit}${texts.join("")}<path class="tl-tick" d="M${t.left} ${y + 19.5}H${right}"/>`;
  }

  // Names of moments, as far as there is room.
  markers(y) {
    const {t} = this, parts = t.compact ? [] : [`<text class="tl-faint" x="8" y="${y + 12}">${weirEscape(this.data.markerName ?? "")}</text>`];
    let taken = t.left - 1;
    for (const {at, label} of this.data.markers) {
      const x = t.x(at) + 2, wide = 6.7 * (label?.length ?? 0);
      if (!label || x < taken || x + wide > t.left + t.width) continue;
      parts.push(`<text class="tl-faint" x="${weirRound(x)}" y="${y + 12}">${weirEscape(label)}</text>`);
      taken = x + wide + 6;
    }
    return parts.join("");
  }

  ruler(ruler, y) {
    const {t} = this, from = this.clip(t.x(ruler.from)), to = this.clip(t.x(ruler.to));
    const look = ruler.kind === "deadline" ? "tl-" + WEIR_STATES[ruler.state] : "tl-latency";
    const left = Math.min(from, to), right = Math.max(from, to), middle = y + 12;
    const inside = t.x(ruler.to) <= t.left + t.width + 0.5, text = ruler.text, half = weirWide(text, 600) / 2 + 8, end = t.left + t.width;
    const between = right - left > 2 * half + 4, behind = right + 2 * half < end; // where the words are: between the posts, or behind them, or before
    const centre = between ? (left + right) / 2 : behind ? right + half : Math.max(left - half, t.left + half);
    const line = (a, b) => b - a > 3 ? `M${weirRound(a)} ${middle}H${weirRound(b)}` : "", first = centre - half, last = centre + half;
    const gap = last <= left || first >= right ? line(left, right) : line(left, first) + line(last, right); // none through the words
    const post = (x) => `M${weirRound(x)} ${x > first + 4 && x < last - 4 ? middle + 7 : y + 4}V${y + WEIR_RULER_HEIGHT}`;
    const name = t.compact ? "" : `<text class="tl-name" x="8" y="${middle + 4}">${ruler.kind === "lower" ? "at least" : ruler.kind}</text>`;
    const words = [ruler.fromEvent, ruler.toEvent].filter(Boolean).join(" \u2192 ");
    return `<g class="${look} wt-item"><title>${weirEscape(text + (words ? ": " + words : ""))}</title>${name}
<path class="tl-post" d="${post(from)}${inside ? post(to) : ""}"/>
<path class="tl-length" d="${gap}"/><text class="tl-strong" text-anchor="middle" x="${weirRound(centre)}" y="${middle + 4}">${weirEscape(text)}</text></g>`;
  }

  legs(y) {
    const {t} = this, parts = [];
    if (!t.compact) parts.push(`<text class="tl-name" x="8" y="${y + 16}">${weirEscape(this.data.iterationName === "execution" ? "its message" : `frame ${this.data.legs[0][3]}`)}</text>`);
    this.data.legs.forEach(([kind, lane, , iteration, from, to, text], i) => {
      const left = this.clip(t.x(from)), right = this.clip(t.x(to)), takes = this.clock.text(this.clock.length(from, to));
      if (right - left < 0.4) return;
      const name = this.data.lanes[lane].name, amount = this.clock.with(takes);
      const label = weirFits([`${text}, ${amount}`, `${kind ? WEIR_LEGS[kind] : name} ${amount}`, amount, takes], right - left, 6.4);
      parts.push(`<g class="tl-leg tl-${WEIR_LEGS[kind]}" data-leg="${i}"><title>${weirEscape(`Frame ${iteration}: ${text}, ${amount}, from ${this.clock.text(from)} to ${this.clock.amount(to)}`)}</title>
<rect x="${weirRound(left)}" y="${y}" width="${weirRound(right - left)}" height="${WEIR_LEG_HEIGHT}"/>${label ? `<text class="tl-on" text-anchor="middle" x="${weirRound((left + right) / 2)}" y="${y + 16}">${weirEscape(label)}</text>` : ""}</g>`);
    });
    return parts.join("");
  }
}

// All of it in a strip: each lane a thin line, the critical path dark, and what is looked at as a window.
class WeirTimelineMap {
  constructor(timeline) {
    this.t = timeline;
  }

  svg() {
    const {t} = this, height = 40, lanes = t.data.lanes, row = (height - 8) / lanes.length, {from, to} = t.all;
    const x = (time) => t.left + Math.min(1, Math.max(0, (WeirClock.place(time) - from) / (to - from))) * t.width;
    const dark = [], pale = [];
    lanes.forEach((lane, i) => {
      let last = -10;
      for (const [kind, , , begin, end] of lane.spans) {
        const left = x(begin), right = x(end);
        if (kind !== WEIR_CRITICAL && right - last < 0.7) continue;
        last = right;
        (kind === WEIR_CRITICAL ? dark : pale).push(`M${weirRound(left)} ${weirRound(4 + row * (i + 0.5))}H${weirRound(Math.max(right, left + 0.6))}`);
      }
    });
    const left = x(t.view.from), right = x(t.view.to), thick = Math.min(4, Math.max(0.8, row * 0.7));
    const posts = t.data.rulers.map((r) => `<path class="tl-${r.kind === "deadline" ? WEIR_STATES[r.state] : "latency"} tl-post" d="M${weirRound(x(r.to))} 0V${height}${r.kind === "deadline" ? "" : `M${weirRound(x(r.from))} 0V${height}`}"/>`);
    return `<svg class="tl" width="${t.whole}" height="${height}" viewBox="0 0 ${t.whole} ${height}" role="img" aria-label="The whole timeline"><rect class="tl-ground" x="${t.left}" y="0" width="${t.width}" height="${height}"/>
<path class="tl-pale-line" stroke-width="${thick}" d="${pale.join("")}"/><path class="tl-dark-line" stroke-width="${thick}" d="${dark.join("")}"/>${posts.join("")}
<path class="tl-shade" d="M${t.left} 0H${weirRound(left)}V${height}H${t.left}ZM${weirRound(right)} 0H${t.left + t.width}V${height}H${weirRound(right)}Z"/>
<rect class="tl-window" x="${weirRound(left)}" y="0.5" width="${weirRound(Math.max(4, right - left))}" height="${height - 1}"/></svg>`;
  }
}
