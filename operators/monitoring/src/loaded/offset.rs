//! How far the clock of a pod is from ours. An answer carries its time, to the second; several answers narrow the offset
//! down.

use k8s_openapi::jiff::Timestamp;

/// One second, in microseconds.
const SECOND: i64 = 1_000_000;

/// The clock of a pod minus ours, in microseconds: at least and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    least: i64,
    most: i64,
}

impl Offset {
    /// Both clocks show the same time.
    pub const NONE: Self = Self { least: 0, most: 0 };

    /// From the `date` of an answer that was given, by our clock, between two times.
    pub fn of(date: Timestamp, asked: Timestamp, answered: Timestamp) -> Self {
        let date = date.as_microsecond();
        // The date has no fractions: it was that second, or almost the next one.
        Self {
            least: date.saturating_sub(answered.as_microsecond()),
            most: date.saturating_add(SECOND).saturating_sub(asked.as_microsecond()),
        }
    }

    /// The offset together with an earlier one. If they contradict each other, a clock was set, and the new one counts.
    #[must_use]
    pub fn narrowed_by(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        let both = Self { least: self.least.max(before.least), most: self.most.min(before.most) };
        if both.least <= both.most { both } else { self }
    }

    /// Whether a time of the pod's clock was certainly after one of ours.
    pub fn is_after(self, theirs: Timestamp, ours: Timestamp) -> bool {
        theirs.as_microsecond().saturating_sub(self.most) > ours.as_microsecond()
    }

    /// How many seconds, at least, have passed at a time of our clock since one of the pod's clock.
    pub fn seconds_since(self, theirs: Timestamp, ours: Timestamp) -> i64 {
        ours.as_microsecond().saturating_sub(theirs.as_microsecond().saturating_sub(self.least)) / SECOND
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(microsecond: i64) -> Timestamp {
        Timestamp::from_microsecond(microsecond).unwrap()
    }

    proptest! {
        /// Whatever the clocks show, an event that is called later was later, and one that was much later is called so.
        #[test]
        fn times_are_compared_correctly_with_any_offset(
            ahead in -3_600 * SECOND..3_600 * SECOND,
            requests in prop::collection::vec((0..10 * SECOND, 0..100_000_i64), 1..20),
            event in -5 * SECOND..5 * SECOND,
        ) {
            let mut offset = None;
            for (asked, took) in &requests {
                let date = (asked + took / 2 + ahead).div_euclid(SECOND) * SECOND;
                offset = Some(Offset::of(at(date), at(*asked), at(asked + took)).narrowed_by(offset));
            }
            let offset = offset.unwrap();
            prop_assert!(offset.least <= ahead && ahead <= offset.most);
            if offset.is_after(at(event + ahead), at(0)) {
                prop_assert!(event > 0);
            }
            if event > SECOND + 100_000 {
                prop_assert!(offset.is_after(at(event + ahead), at(0)));
            }
            prop_assert!(offset.seconds_since(at(event + ahead), at(0)) <= (-event).max(0) / SECOND || event > 0);
        }
    }

    #[test]
    fn an_offset_that_contradicts_earlier_ones_replaces_them() {
        let before = Offset::of(at(0), at(0), at(0));
        let after = Offset::of(at(100 * SECOND), at(0), at(0));
        assert_eq!(after.narrowed_by(Some(before)), after);
    }
}
