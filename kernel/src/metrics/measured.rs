//! Metrics whose values are read at each scrape.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::catalogue::MetricKind;

/// Values with the values of their labels, in the order of the names.
pub type Samples<const N: usize> = Vec<([String; N], f64)>;

/// A family whose values are read.
pub(super) struct Measured<const N: usize, L> {
    /// Its full name, for a counter without `_total`.
    pub(super) name: String,
    pub(super) kind: MetricKind,
    pub(super) labels: [&'static str; N],
    pub(super) help: &'static str,
    pub(super) read: L,
}

impl<const N: usize, L> fmt::Debug for Measured<N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measured").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<const N: usize, L> Collector for Measured<N, L>
where
    L: Fn() -> Samples<N> + Send + Sync + 'static,
{
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let kind = match self.kind {
            MetricKind::Counter => MetricType::Counter,
            MetricKind::Gauge => MetricType::Gauge,
            MetricKind::Histogram => MetricType::Histogram,
        };
        let help = format!("{}.", self.help);
        let mut family = encoder.encode_descriptor(&self.name, &help, None, kind)?;
        for (values, value) in (self.read)() {
            let labels: Vec<(&str, String)> = self.labels.into_iter().zip(values).collect();
            let mut metric = family.encode_family(&labels)?;
            match self.kind {
                MetricKind::Counter => metric.encode_counter::<NoLabelSet, f64, u64>(&value, None)?,
                MetricKind::Gauge | MetricKind::Histogram => metric.encode_gauge(&value)?,
            }
        }
        Ok(())
    }
}
