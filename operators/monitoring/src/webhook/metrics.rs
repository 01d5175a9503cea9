//! What is counted: questions, by path and by what was said.

use std::time::Instant;

use kernel::clock;
use kernel::metrics::{Catalogue, Counters, Histograms};

/// From a small object to a page of a large list.
const BUCKETS: &[f64] = &[0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The families.
#[derive(Debug, Clone)]
pub struct Metrics {
    reviews: Counters<2>,
    time: Histograms<1>,
}

/// What was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Yes.
    Allowed,
    /// No.
    Refused,
    /// That this is no question.
    Unreadable,
}

impl Said {
    const ALL: [Self; 3] = [Self::Allowed, Self::Refused, Self::Unreadable];

    fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
        }
    }

    /// Yes or no.
    pub(crate) fn of(allowed: bool) -> Self {
        if allowed { Self::Allowed } else { Self::Refused }
    }
}

impl Metrics {
    /// Registers the families.
    pub fn register(catalogue: &mut Catalogue) -> Self {
        let help = "Questions that the API server asked the webhooks, by path and verdict";
        let reviews = catalogue.counters("webhook_reviews", ["path", "verdict"], help);
        let help = "Time that the webhooks took for an answer";
        let time = catalogue.histograms("webhook_review_duration_seconds", ["path"], help, BUCKETS);
        Self { reviews, time }
    }

    /// What one path counts. All its series are there from now on.
    pub(crate) fn path(&self, path: &'static str) -> PathMetrics {
        for said in Said::ALL {
            self.reviews.with([path, said.as_str()]);
        }
        self.time.with([path]);
        PathMetrics { path, metrics: self.clone() }
    }
}

/// What one path counts.
#[derive(Debug, Clone)]
pub(crate) struct PathMetrics {
    pub(crate) path: &'static str,
    metrics: Metrics,
}

impl PathMetrics {
    /// Counts a question that came at `since`.
    pub(crate) fn answered(&self, said: Said, since: Instant) {
        self.metrics.reviews.with([self.path, said.as_str()]).inc();
        self.metrics.time.with([self.path]).observe((clock::now() - since).as_secs_f64());
    }
}

/// The families as a table for the documents.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    Metrics::register(&mut catalogue);
    catalogue.reference()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_good() {
        let mut catalogue = Catalogue::default();
        Metrics::register(&mut catalogue);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
    }
}
