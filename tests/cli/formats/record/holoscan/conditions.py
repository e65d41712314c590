# SPDX-License-Identifier: Apache-2.0
import enum


class PeriodicConditionPolicy(enum.Enum):
    CATCH_UP_MISSED_TICKS = 0
    MIN_TIME_BETWEEN_TICKS = 1
    NO_CATCH_UP_MISSED_TICKS = 2


class PeriodicCondition:
    """Until it is initialized its policy reads as the default, as in the SDK."""

    typename = "nvidia::gxf::PeriodicSchedulingTerm"

    def __init__(self, fragment, recess_period, policy=PeriodicConditionPolicy.CATCH_UP_MISSED_TICKS, name="periodic"):
        self.name, self._period, self._given = name, recess_period, policy
        self.policy = PeriodicConditionPolicy.CATCH_UP_MISSED_TICKS

    def initialize(self):
        self.policy = self._given

    def recess_period_ns(self):
        return self._period


class CountCondition:
    typename = "nvidia::gxf::CountSchedulingTerm"

    def __init__(self, fragment, count, name="count"):
        self.name, self.count = name, count

    def initialize(self):
        pass
