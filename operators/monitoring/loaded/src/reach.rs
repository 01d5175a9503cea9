//! Whom to ask, where perhaps nobody may answer: under a network policy every question costs its whole limit. After a
//! round without any answer there is a pause that grows, and then one pod is asked for all.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

/// The first pause.
const FIRST: Duration = Duration::from_secs(10);

/// The longest.
const LONGEST: Duration = Duration::from_mins(10);

/// Whom to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whom {
    /// Every pod.
    All,
    /// One, and the others if it answers.
    One,
    /// Nobody before this time is over; what was said last still holds.
    Nobody(Duration),
}

/// How it went so far with the pods of a workload. It may be lost: then everybody is asked once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Rounds without any answer, and when the last one was.
    silence: Option<(u32, Timestamp)>,
}

impl Reach {
    /// Whom to ask at `now`.
    pub fn whom(&self, now: Timestamp) -> Whom {
        let Some((rounds, last)) = self.silence else { return Whom::All };
        let pause = FIRST.saturating_mul(2_u32.saturating_pow(rounds - 1)).min(LONGEST);
        // A clock that was set back must not make it longer.
        let since = Duration::try_from(now.duration_since(last)).unwrap_or(pause);
        if since >= pause { Whom::One } else { Whom::Nobody(pause.saturating_sub(since)) }
    }

    /// How a round went: whether anybody answered.
    pub fn heard(&mut self, anybody: bool, now: Timestamp) {
        let rounds = self.silence.map_or(0, |(rounds, _)| rounds);
        self.silence = (!anybody).then_some((rounds.saturating_add(1), now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_asked_less_and_less_and_an_answer_ends_it() {
        let mut reach = Reach::default();
        let mut now = Timestamp::from_second(1_000_000).unwrap();
        assert_eq!(reach.whom(now), Whom::All);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            reach.heard(false, now);
            let Whom::Nobody(pause) = reach.whom(now) else { panic!("asked at once") };
            pauses.push(pause.as_secs());
            now = now.checked_add(pause).unwrap();
            assert_eq!(reach.whom(now), Whom::One);
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        reach.heard(true, now);
        assert_eq!(reach.whom(now), Whom::All);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_pause_longer() {
        let mut reach = Reach::default();
        reach.heard(false, Timestamp::from_second(1_000_000).unwrap());
        assert_eq!(reach.whom(Timestamp::from_second(1_000).unwrap()), Whom::One);
    }
}
