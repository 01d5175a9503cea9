//! A set-up: an operator, a reloader, their targets, and the time between changes. Pure.

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

/// Our operator.
const OPERATOR: &str = concat!("mainstay.dev/mainstay:", env!("CARGO_PKG_VERSION"));

/// Our reloader.
const RELOADER: &str = concat!("mainstay.dev/mainstay-reloader:", env!("CARGO_PKG_VERSION"));

/// Our operator touches pods for one change every 5 s: earlier the next change would wait for its turn.
const APART: Duration = Duration::from_secs(6);

/// Keeps our changes from falling into step with anything.
const LOOSE: Duration = Duration::from_secs(2);

/// The kubelet looks after a pod every 60 to 90 s, and this is the middle: changes find it at any point of that.
const KUBELET: Duration = Duration::from_secs(75);

/// Its multiples, without what is before the point, cover everything between 0 and 1 evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_895;

impl Setup {
    /// As the table names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours, our reloader",
            Self::OursPeerReloader => "ours, the peer's reloader",
            Self::Peer => "the peer, its reloader",
        }
    }

    /// The image of the operator, where it is not the one that the Deployment has by itself.
    pub(crate) fn operator(self) -> Option<&'static str> {
        match self {
            Self::Ours | Self::OursPeerReloader => Some(OPERATOR),
            Self::Peer => None,
        }
    }

    /// The image of the reloader, where it is not the one that the Deployment has by itself.
    pub(crate) fn reloader(self) -> Option<&'static str> {
        match self {
            Self::Ours => Some(RELOADER),
            Self::OursPeerReloader | Self::Peer => None,
        }
    }

    /// How long a change may take in the median.
    pub(crate) fn target(self) -> Option<Duration> {
        match self {
            Self::Ours => Some(Duration::from_secs(1)),
            Self::OursPeerReloader => Some(Duration::from_secs(2)),
            Self::Peer => None,
        }
    }

    /// How long to wait before the change with this number, once the one before it has taken effect. The same in every
    /// run.
    pub(crate) fn pause(self, number: u32) -> Duration {
        let part = (f64::from(number) * GOLDEN).fract();
        match self.operator() {
            Some(_) => APART + LOOSE.mul_f64(part),
            None => KUBELET.mul_f64(part),
        }
    }

    /// About how long a round of two changes takes, with the pauses.
    pub(crate) fn round(self) -> Duration {
        // A new target is scraped some time after the configuration was loaded, whichever operator wrote it.
        let scraped = Duration::from_secs(2);
        scraped
            + match self.operator() {
                Some(_) => (APART + LOOSE / 2 + Duration::from_secs(1)) * 2,
                // Half of its period in pauses, and half in waiting for it.
                None => KUBELET * 2,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_find_the_kubelet_at_any_point_of_its_period() {
        for first in [0, 20] {
            let mut quarters = [0_u32; 4];
            for number in first..first + 20 {
                let part = Setup::Peer.pause(number).as_secs_f64() / KUBELET.as_secs_f64();
                let passed = [0.25, 0.5, 0.75].iter().filter(|edge| part >= **edge).count();
                quarters[passed] += 1;
            }
            assert!(quarters.iter().all(|count| (4..=6).contains(count)), "{quarters:?}");
        }
    }

    #[test]
    fn our_changes_are_further_apart_than_touches() {
        for number in 0..40 {
            let pause = Setup::Ours.pause(number);
            assert!(pause >= APART && pause < APART + LOOSE, "{pause:?}");
            assert_eq!(pause, Setup::OursPeerReloader.pause(number));
        }
    }
}
