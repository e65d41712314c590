// SPDX-License-Identifier: Apache-2.0
// Times as they are written: whole ticks, of which a unit has 10^digits. No digit is lost: what is a time stays one, as BigInt.
"use strict";

function weirFormat(ticks, digits) {
  const negative = ticks < 0n, text = String(negative ? -ticks : ticks).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits), rest = text.slice(text.length - digits).replace(/0+$/, "");
  return (negative ? "-" : "") + whole + (rest ? "." + rest : "");
}

function weirParse(text, digits) {
  const match = /^\s*(\d+)(?:[.,](\d*))?\s*$/.exec(text);
  if (!match || (match[2] || "").length > digits) return null;
  return BigInt(match[1] + (match[2] || "").padEnd(digits, "0"));
}

// The times of a timeline: a number, text where a number would not hold it, or [numerator, denominator].
class WeirClock {
  constructor(digits, unit) {
    this.digits = digits;
    this.unit = unit;
    this.ticks = 10 ** digits; // of a unit
  }

  static place(time) {
    return Array.isArray(time) ? Number(time[0]) / Number(time[1]) : Number(time);
  }

  // Rounded up in the sixth decimal where it is no whole number of ticks.
  text(time) {
    if (!Array.isArray(time)) return weirFormat(BigInt(time), this.digits);
    const [n, d] = time.map(BigInt), divisor = d * 10n ** BigInt(this.digits), up = n * 1000000n;
    return weirFormat(up / divisor + (up > 0n && up % divisor !== 0n ? 1n : 0n), 6);
  }

  amount(time) {
    return this.with(this.text(time));
  }

  // A number and its unit.
  with(text) {
    return `${text} ${text === "1" && this.unit === "ticks" ? "tick" : this.unit}`;
  }

  // From one time to another, which is a time as well.
  length(from, to) {
    const [[a, b], [c, d]] = [from, to].map((time) => (Array.isArray(time) ? time : [time, 1]).map(BigInt));
    return b * d === 1n ? c - a : [c * b - a * d, b * d];
  }

  // Round steps of time for a scale, at least so many pixels apart, and more where the words need it: [place, text].
  scale(from, to, pixels, apart) {
    const least = (to - from) / Math.max(1, pixels / apart), power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least));
    const ticks = [];
    for (let n = Math.ceil(from / step); n * step <= to && ticks.length < 200; n++) ticks.push([n * step, weirFormat(BigInt(Math.round(n * step)), this.digits)]);
    const wide = 12 + 7 * Math.max(0, ...ticks.map(([, text]) => text.length));
    return wide > apart && wide > step / (to - from) * pixels ? this.scale(from, to, pixels, wide) : ticks;
  }
}

if (typeof module !== "undefined") module.exports = {weirFormat, weirParse, WeirClock};
