//! Metrics of one name that differ in their labels.

use std::borrow::Cow;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

/// Names and values of labels.
pub(super) type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// The buckets of a histogram.
#[derive(Debug, Clone, Copy)]
pub struct Buckets(pub(super) &'static [f64]);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

/// Metrics of one name that differ in `N` labels.
#[derive(Debug, Clone)]
pub struct LabelledFamily<const N: usize, M, C = fn() -> M> {
    pub(super) names: [&'static str; N],
    pub(super) family: Family<Labels<N>, M, C>,
}

impl<const N: usize, M: Clone, C: MetricConstructor<M>> LabelledFamily<N, M, C> {
    /// The one with these values, in the order of the names. It exists, at zero, from now on. Values are texts of the
    /// program: no name of an object, namespace or user can become one, so the number of series is bounded.
    pub fn with(&self, values: [&'static str; N]) -> M {
        self.get(values.map(Cow::Borrowed))
    }

    /// The same, where the values are known only at run time. The caller ensures that they are few.
    pub fn among(&self, values: [String; N]) -> M {
        self.get(values.map(Cow::Owned))
    }

    fn get(&self, values: [Cow<'static, str>; N]) -> M {
        let mut labels: Labels<N> = self.names.map(|name| (name, Cow::Borrowed("")));
        for (label, value) in labels.iter_mut().zip(values) {
            label.1 = value;
        }
        self.family.get_or_create_owned(&labels)
    }
}

/// Counters of one name.
pub type Counters<const N: usize> = LabelledFamily<N, Counter>;
/// Gauges of one name.
pub type Gauges<const N: usize> = LabelledFamily<N, Gauge>;
/// Histograms of one name.
pub type Histograms<const N: usize> = LabelledFamily<N, Histogram, Buckets>;
