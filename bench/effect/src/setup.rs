//! The set-ups: operators, reloaders, targets, and the time between changes. Pure.

use std::time::Duration;

use clap::ValueEnum;

/// An operator and a reloader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Setup {
    /// Our operator and our reloader.
    Ours,
    /// Our operator and the reloader of the Prometheus Operator.
    OursPeerReloader,
    /// The Prometheus Operator and its reloader.
    Peer,
}

/// The image of our operator.
const OPERATOR: &str = concat!("mainstay.dev/mainstay:", env!("CARGO_PKG_VERSION"));

/// The image of our reloader.
const RELOADER: &str = concat!("mainstay.dev/mainstay-reloader:", env!("CARGO_PKG_VERSION"));

/// The minimum pause. Our operator updates pods at most every 5 s: an earlier change would wait.
const MIN_PAUSE: Duration = Duration::from_secs(6);

/// The maximum that is added to the pause, so that changes are not in phase with other timers.
const JITTER: Duration = Duration::from_secs(2);

/// The kubelet refreshes the files of a pod every 60 to 90 s; this is the mean. Changes are spread over this period.
const SYNC_PERIOD: Duration = Duration::from_secs(75);

/// The fractional parts of its multiples cover the range from 0 to 1 evenly, for any number of multiples.
const GOLDEN: f64 = 0.618_033_988_749_895;

impl Setup {
    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours, our reloader",
            Self::OursPeerReloader => "ours, the peer's reloader",
            Self::Peer => "the peer, its reloader",
        }
    }

    /// The image of the operator, unless it is that of the bundle.
    pub(crate) fn operator(self) -> Option<&'static str> {
        match self {
            Self::Ours | Self::OursPeerReloader => Some(OPERATOR),
            Self::Peer => None,
        }
    }

    /// The image of the reloader, unless it is that of the bundle.
    pub(crate) fn reloader(self) -> Option<&'static str> {
        match self {
            Self::Ours => Some(RELOADER),
            Self::OursPeerReloader | Self::Peer => None,
        }
    }

    /// The target for the median of a change.
    pub(crate) fn target(self) -> Option<Duration> {
        match self {
            Self::Ours => Some(Duration::from_secs(1)),
            Self::OursPeerReloader => Some(Duration::from_secs(2)),
            Self::Peer => None,
        }
    }

    /// The pause before the change with this number, after the previous one has taken effect; the same in every run.
    pub(crate) fn pause(self, number: u32) -> Duration {
        let part = (f64::from(number) * GOLDEN).fract();
        match self.operator() {
            Some(_) => MIN_PAUSE + JITTER.mul_f64(part),
            None => SYNC_PERIOD.mul_f64(part),
        }
    }

    /// The approximate duration of a round of two changes, with the pauses.
    pub(crate) fn round(self) -> Duration {
        // The time from the load of the configuration to the first scrape, which does not depend on the operator.
        let scraped = Duration::from_secs(2);
        scraped
            + match self.operator() {
                Some(_) => (MIN_PAUSE + JITTER / 2 + Duration::from_secs(1)) * 2,
                // On average half a period for the pause and half a period for the effect.
                None => SYNC_PERIOD * 2,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_spread_over_the_sync_period() {
        for first in [0, 20] {
            let mut quarters = [0_u32; 4];
            for number in first..first + 20 {
                let part = Setup::Peer.pause(number).as_secs_f64() / SYNC_PERIOD.as_secs_f64();
                let passed = [0.25, 0.5, 0.75].iter().filter(|edge| part >= **edge).count();
                quarters[passed] += 1;
            }
            assert!(quarters.iter().all(|count| (4..=6).contains(count)), "{quarters:?}");
        }
    }

    #[test]
    fn our_changes_are_further_apart_than_pod_updates() {
        for number in 0..40 {
            let pause = Setup::Ours.pause(number);
            assert!(pause >= MIN_PAUSE && pause < MIN_PAUSE + JITTER, "{pause:?}");
            assert_eq!(pause, Setup::OursPeerReloader.pause(number));
        }
    }
}
