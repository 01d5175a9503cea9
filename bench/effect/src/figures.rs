//! The measured times and their statistics. Pure.

use std::time::Duration;

use crate::setup::Setup;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// From the change of a monitor until Prometheus runs the changed configuration.
    Changed,
    /// From the creation of a monitor until Prometheus runs a configuration with it.
    NewLoaded,
    /// From the creation of a monitor until its target was scraped.
    NewScraped,
}

/// One measured time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figure {
    /// The set-up.
    pub(crate) setup: Setup,
    /// What was measured.
    pub(crate) measure: Measure,
    /// The measured time.
    pub(crate) took: Duration,
}

/// The minimum, the median and the maximum of some times, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    /// The minimum.
    pub(crate) min: Duration,
    /// The median.
    pub(crate) median: Duration,
    /// The maximum.
    pub(crate) max: Duration,
    /// The number of times.
    pub(crate) count: usize,
}

impl Measure {
    /// All measures, in the order of the table.
    pub(crate) const ALL: [Self; 3] = [Self::Changed, Self::NewLoaded, Self::NewScraped];

    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Changed => "a ServiceMonitor changed, until Prometheus runs it",
            Self::NewLoaded => "a new ServiceMonitor, until Prometheus runs it",
            Self::NewScraped => "a new ServiceMonitor, until its target is scraped",
        }
    }

    /// The target for the median.
    pub(crate) fn target(self, setup: Setup) -> Option<Duration> {
        match self {
            Self::Changed => setup.target(),
            // The same as a changed monitor, and in addition the time of Prometheus itself.
            Self::NewLoaded | Self::NewScraped => None,
        }
    }
}

impl Spread {
    /// The statistics of one measure with one set-up; `None` if there are no figures.
    pub(crate) fn of(figures: &[Figure], setup: Setup, measure: Measure) -> Option<Self> {
        let wanted = |figure: &&Figure| figure.setup == setup && figure.measure == measure;
        let mut times: Vec<Duration> = figures.iter().filter(wanted).map(|figure| figure.took).collect();
        times.sort();
        let (min, max) = (*times.first()?, *times.last()?);
        let count = times.len();
        let median = (times[(count - 1) / 2] + times[count / 2]) / 2;
        Some(Self { min, median, max, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_for_one_measure_and_one_set_up() {
        let figure = |setup, measure, seconds| Figure { setup, measure, took: Duration::from_secs(seconds) };
        let mut figures: Vec<Figure> =
            [4, 1, 3].map(|seconds| figure(Setup::Ours, Measure::Changed, seconds)).into();
        figures.push(figure(Setup::Ours, Measure::NewLoaded, 90));
        figures.push(figure(Setup::Peer, Measure::Changed, 60));
        let spread = |min, median, max, count| {
            let seconds = Duration::from_secs_f64;
            Some(Spread { min: seconds(min), median: seconds(median), max: seconds(max), count })
        };
        assert_eq!(Spread::of(&figures, Setup::Ours, Measure::Changed), spread(1.0, 3.0, 4.0, 3));
        figures.push(figure(Setup::Ours, Measure::Changed, 2));
        assert_eq!(Spread::of(&figures, Setup::Ours, Measure::Changed), spread(1.0, 2.5, 4.0, 4));
        assert_eq!(Spread::of(&figures, Setup::Peer, Measure::Changed), spread(60.0, 60.0, 60.0, 1));
        assert_eq!(Spread::of(&figures, Setup::Peer, Measure::NewScraped), None);
    }
}
