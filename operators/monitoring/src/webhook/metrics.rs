//! Metrics of the webhooks.

use std::time::Instant;

use kernel::clock;
use kernel::metrics::{Catalogue, Counters, Histograms};

/// From a small object to a page of a large list.
const BUCKETS: &[f64] = &[0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The metrics.
#[derive(Debug, Clone)]
pub struct WebhookMetrics {
    reviews: Counters<2>,
    time: Histograms<1>,
}

/// How a review was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The request is allowed.
    Allowed,
    /// The request is rejected.
    Rejected,
    /// The review cannot be read.
    Unreadable,
}

impl Answer {
    const ALL: [Self; 3] = [Self::Allowed, Self::Rejected, Self::Unreadable];

    fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Rejected => "refused",
            Self::Unreadable => "unreadable",
        }
    }

    /// Allowed or rejected.
    pub(crate) fn of(allowed: bool) -> Self {
        if allowed { Self::Allowed } else { Self::Rejected }
    }
}

impl WebhookMetrics {
    /// Registers the metrics.
    pub fn register(catalogue: &mut Catalogue) -> Self {
        let help = "Reviews that the API server sent to the webhooks, by path and verdict";
        let reviews = catalogue.ours().counters("webhook_reviews", ["path", "verdict"], help);
        let help = "Time that the webhooks took to answer a review, in seconds";
        let time = catalogue.ours().histograms("webhook_review_duration_seconds", ["path"], help, BUCKETS);
        Self { reviews, time }
    }

    /// The metrics of one path. All its series exist from now on.
    pub(crate) fn path(&self, path: &'static str) -> PathMetrics {
        for answer in Answer::ALL {
            self.reviews.with([path, answer.as_str()]);
        }
        self.time.with([path]);
        PathMetrics { path, metrics: self.clone() }
    }
}

/// The metrics of one path.
#[derive(Debug, Clone)]
pub(crate) struct PathMetrics {
    pub(crate) path: &'static str,
    metrics: WebhookMetrics,
}

impl PathMetrics {
    /// Counts a review that arrived at `since`.
    pub(crate) fn observe(&self, answer: Answer, since: Instant) {
        self.metrics.reviews.with([self.path, answer.as_str()]).inc();
        self.metrics.time.with([self.path]).observe((clock::now() - since).as_secs_f64());
    }
}

/// The metrics as a table for the documentation.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    WebhookMetrics::register(&mut catalogue);
    catalogue.reference()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_valid() {
        let mut catalogue = Catalogue::default();
        WebhookMetrics::register(&mut catalogue);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
    }
}
