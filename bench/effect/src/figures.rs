//! The measured times and their statistics. Pure.

use std::time::Duration;

use crate::setup::Setup;

/// What is measured: from when until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// A changed monitor, until Prometheus runs the changed configuration.
    Changed,
    /// A new monitor, until Prometheus runs the configuration with it.
    NewLoaded,
    /// A new monitor, until its target was scraped.
    NewScraped,
}

/// One time that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figure {
    /// With whom.
    pub(crate) setup: Setup,
    /// Of what.
    pub(crate) measure: Measure,
    /// How long it took.
    pub(crate) took: Duration,
}

/// The least, the middle and the greatest of some times, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    /// The least.
    pub(crate) least: Duration,
    /// Half of them are below.
    pub(crate) median: Duration,
    /// The greatest.
    pub(crate) worst: Duration,
    /// How many.
    pub(crate) count: usize,
}

impl Measure {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 3] = [Self::Changed, Self::NewLoaded, Self::NewScraped];

    /// As the table names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Changed => "a ServiceMonitor changed, until Prometheus runs it",
            Self::NewLoaded => "a new ServiceMonitor, until Prometheus runs it",
            Self::NewScraped => "a new ServiceMonitor, until its target is scraped",
        }
    }

    /// What its median may be at most.
    pub(crate) fn target(self, setup: Setup) -> Option<Duration> {
        match self {
            Self::Changed => setup.target(),
            // A new one takes the same way, and then the time of Prometheus itself.
            Self::NewLoaded | Self::NewScraped => None,
        }
    }
}

impl Spread {
    /// Of these figures, what belongs together; nothing if there is none.
    pub(crate) fn of(figures: &[Figure], setup: Setup, measure: Measure) -> Option<Self> {
        let wanted = |figure: &&Figure| figure.setup == setup && figure.measure == measure;
        let mut times: Vec<Duration> = figures.iter().filter(wanted).map(|figure| figure.took).collect();
        times.sort();
        let (least, worst) = (*times.first()?, *times.last()?);
        let count = times.len();
        let median = (times[(count - 1) / 2] + times[count / 2]) / 2;
        Some(Self { least, median, worst, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle_of_what_belongs_together() {
        let figure = |setup, measure, seconds| Figure { setup, measure, took: Duration::from_secs(seconds) };
        let mut figures: Vec<Figure> =
            [4, 1, 3].map(|seconds| figure(Setup::Ours, Measure::Changed, seconds)).into();
        figures.push(figure(Setup::Ours, Measure::NewLoaded, 90));
        figures.push(figure(Setup::Peer, Measure::Changed, 60));
        let spread = |least, median, worst, count| {
            let seconds = Duration::from_secs_f64;
            Some(Spread { least: seconds(least), median: seconds(median), worst: seconds(worst), count })
        };
        assert_eq!(Spread::of(&figures, Setup::Ours, Measure::Changed), spread(1.0, 3.0, 4.0, 3));
        figures.push(figure(Setup::Ours, Measure::Changed, 2));
        assert_eq!(Spread::of(&figures, Setup::Ours, Measure::Changed), spread(1.0, 2.5, 4.0, 4));
        assert_eq!(Spread::of(&figures, Setup::Peer, Measure::Changed), spread(60.0, 60.0, 60.0, 1));
        assert_eq!(Spread::of(&figures, Setup::Peer, Measure::NewScraped), None);
    }
}
