# SPDX-License-Identifier: Apache-2.0
"""Exact times with their unit."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Union

_SECONDS = {"ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": Fraction(1)}


class Time(Fraction):
    """An exact time: a number of its unit, "ns", "us", "ms", "s" or "tick".

    It is a Fraction, so it adds and compares as numbers do, and float() makes a plain number of it. Times of different units are
    never equal, and comparing them otherwise is a TypeError: convert one with to().
    """

    __slots__ = ("unit",)
    unit: str

    def __new__(cls, value: Union[int, str, float, Fraction, Decimal], unit: str = "tick") -> Time:
        if unit not in _SECONDS and unit != "tick":
            raise ValueError(f"unknown unit: {unit}")
        self = super().__new__(cls, value)
        self.unit = unit
        return self

    def to(self, unit: str) -> Time:
        """The same time in another unit."""
        if unit == self.unit:
            return self
        if "tick" in (unit, self.unit):
            raise ValueError("ticks have no length")
        return Time(Fraction(self) * _SECONDS[self.unit] / _SECONDS[unit], unit)

    @property
    def seconds(self) -> float:
        """As a number of seconds."""
        return float(self.to("s"))

    def timedelta(self) -> timedelta:
        """As datetime has it, rounded to microseconds."""
        return timedelta(microseconds=float(self.to("us")))

    def _richcmp(self, other: Any, op: Callable[[Any, Any], bool]) -> bool:
        if isinstance(other, Time) and other.unit != self.unit:
            raise TypeError(f"cannot compare {self.unit} with {other.unit}: convert one of them with to()")
        return Fraction(self)._richcmp(other, op)  # type: ignore[attr-defined,no-any-return]

    def __eq__(self, other: object) -> bool:
        return not (isinstance(other, Time) and other.unit != self.unit) and Fraction(self) == other

    def __hash__(self) -> int:
        return super().__hash__()

    def __str__(self) -> str:
        return decimal(self) + ("" if self.unit == "tick" else f" {self.unit}")

    def __repr__(self) -> str:
        return f"Time({decimal(self)!r}, {self.unit!r})" if _ends(self) else f"Time('{self.numerator}/{self.denominator}', {self.unit!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Time, (Fraction(self), self.unit)

    def __copy__(self) -> Time:
        return self

    def __deepcopy__(self, memo: Any) -> Time:
        return self

    def __format__(self, how: str) -> str:
        return format(float(self), how) if how else str(self)


def _ends(value: Fraction) -> bool:
    """Whether it is a decimal number."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal(value: Fraction) -> str:
    """Exactly where that is possible; else rounded up, as bounds are, to a millionth."""
    if not _ends(value):
        value = Fraction(-(-value.numerator * 10**6 // value.denominator), 10**6)
    digits = 0
    while (10**digits) % value.denominator:
        digits += 1
    whole = abs(value.numerator) * 10**digits // value.denominator
    text = str(whole).rjust(digits + 1, "0")
    text = text[: len(text) - digits] + ("." + text[len(text) - digits :] if digits else "")
    return ("-" if value < 0 else "") + text


# What can stand for a time in calls and models: a number is in the unit of the model.
TimeLike = Union[int, float, str, Fraction, Decimal, timedelta]


def time_text(value: TimeLike) -> str:
    """A time as the model file writes it."""
    if isinstance(value, Time):
        if not _ends(value):
            raise ValueError(f"{value!r} is not a decimal number")
        return decimal(value) + ("" if value.unit == "tick" else value.unit)
    if isinstance(value, timedelta):
        return f"{(value.days * 86400 + value.seconds) * 10**6 + value.microseconds}us"
    if isinstance(value, float):
        return decimal(Fraction(repr(value)))
    if isinstance(value, (int, Fraction, Decimal)):
        number = Fraction(value)
        if not _ends(number):
            raise ValueError(f"{value!r} is not a decimal number")
        return decimal(number)
    return value
