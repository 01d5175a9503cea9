//! Every family of metrics that a process has, with what is said about it: one list for the page that Prometheus reads,
//! for the reference in the documents and for the check of names. No globals: whoever counts is handed what it counts
//! with.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::EncodeMetric;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::TypedMetric;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::faults::faults_of;

/// What every name begins with.
const PREFIX: &str = "mainstay";
/// The media type of [`Catalogue::expose`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Kind of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

impl Kind {
    /// As Prometheus writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// What is said about a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its full name, as Prometheus shows it.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Names of its labels.
    pub labels: Vec<&'static str>,
    /// What it tells.
    pub help: &'static str,
}

/// Names and values of labels. Both are texts of the program: no name of an object, namespace or user can become one,
/// so the number of series is bounded.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// How a histogram begins.
#[derive(Debug, Clone, Copy)]
pub struct Buckets(&'static [f64]);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

/// Metrics of one name that differ in `N` labels.
#[derive(Debug, Clone)]
pub struct Labelled<const N: usize, M, C = fn() -> M> {
    names: [&'static str; N],
    family: Family<Labels<N>, M, C>,
}

impl<const N: usize, M: Clone, C: MetricConstructor<M>> Labelled<N, M, C> {
    /// The one with these values, in the order of the names. It is there, at zero, from this moment on.
    pub fn with(&self, values: [&'static str; N]) -> M {
        let mut labels: Labels<N> = [("", ""); N];
        for ((label, name), value) in labels.iter_mut().zip(self.names).zip(values) {
            *label = (name, value);
        }
        self.family.get_or_create_owned(&labels)
    }
}

/// Counters of one name.
pub type Counters<const N: usize> = Labelled<N, Counter>;
/// Gauges of one name.
pub type Gauges<const N: usize> = Labelled<N, Gauge>;
/// Histograms of one name.
pub type Histograms<const N: usize> = Labelled<N, Histogram, Buckets>;

/// All families of a process.
#[derive(Debug)]
pub struct Catalogue {
    registry: Registry,
    entries: Vec<Entry>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self { registry: Registry::with_prefix(PREFIX), entries: Vec::new() }
    }
}

impl Catalogue {
    /// Counters. Their name is given without the prefix and without `_total`, which both are added.
    pub fn counters<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Counters<N> {
        self.note(format!("{PREFIX}_{name}_total"), Kind::Counter, &labels, help);
        self.register(name, labels, help, Family::default())
    }

    /// Gauges. Their name is given without the prefix.
    pub fn gauges<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Gauges<N> {
        self.note(format!("{PREFIX}_{name}"), Kind::Gauge, &labels, help);
        self.register(name, labels, help, Family::default())
    }

    /// Histograms. Their name is given without the prefix, and with the unit.
    pub fn histograms<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Histograms<N> {
        self.note(format!("{PREFIX}_{name}"), Kind::Histogram, &labels, help);
        self.register(name, labels, help, Family::new_with_constructor(Buckets(buckets)))
    }

    /// All that is said about the families, in the order in which they came.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All values, as Prometheus reads them.
    pub fn expose(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }

    /// A table of all families for the documents, sorted by name.
    pub fn reference(&self) -> String {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let mut text = String::from("| name | type | labels | what it tells |\n|---|---|---|---|\n");
        for Entry { name, kind, labels, help } in entries {
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| `{name}` | {} | {} | {help} |", kind.as_str(), labels.join(", "));
        }
        text
    }

    /// What is wrong with the names and help texts, in words. Every crate that registers families has a test that
    /// expects nothing.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let mut found = faults_of(entry);
            if self.entries.iter().take(index).any(|earlier| earlier.name == entry.name) {
                found.push("is there twice".to_owned());
            }
            faults.extend(found.into_iter().map(|fault| format!("{} {fault}", entry.name)));
        }
        faults
    }

    fn note(&mut self, name: String, kind: Kind, labels: &[&'static str], help: &'static str) {
        self.entries.push(Entry { name, kind, labels: labels.to_vec(), help });
    }

    fn register<const N: usize, M, C>(
        &mut self,
        name: &'static str,
        names: [&'static str; N],
        help: &'static str,
        family: Family<Labels<N>, M, C>,
    ) -> Labelled<N, M, C>
    where
        M: EncodeMetric + TypedMetric + fmt::Debug + Send + Sync + 'static,
        C: MetricConstructor<M> + Clone + fmt::Debug + Send + Sync + 'static,
    {
        self.registry.register(name, help, family.clone());
        Labelled { names, family }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_adds_families_of_its_own() {
        let mut catalogue = Catalogue::default();
        let moves = catalogue.counters("example_moves", ["way", "result"], "Moves of the example, by way");
        moves.with(["up", "failed"]).inc();
        moves.with(["up", "failed"]).inc();
        catalogue.gauges("example_ready", [], "Whether the example is ready").with([]).set(1);
        let times =
            catalogue.histograms("example_seconds", ["way"], "Time that the example takes", &[0.5, 2.0]);
        times.with(["down"]).observe(1.0);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
        let page = "# HELP mainstay_example_moves Moves of the example, by way.
# TYPE mainstay_example_moves counter
mainstay_example_moves_total{way=\"up\",result=\"failed\"} 2
# HELP mainstay_example_ready Whether the example is ready.
# TYPE mainstay_example_ready gauge
mainstay_example_ready{} 1
# HELP mainstay_example_seconds Time that the example takes.
# TYPE mainstay_example_seconds histogram
mainstay_example_seconds_sum{way=\"down\"} 1.0
mainstay_example_seconds_count{way=\"down\"} 1
mainstay_example_seconds_bucket{le=\"0.5\",way=\"down\"} 0
mainstay_example_seconds_bucket{le=\"2.0\",way=\"down\"} 1
mainstay_example_seconds_bucket{le=\"+Inf\",way=\"down\"} 1
# EOF
";
        assert_eq!(catalogue.expose().unwrap(), page);
        let table = "| name | type | labels | what it tells |
|---|---|---|---|
| `mainstay_example_moves_total` | counter | `way`, `result` | Moves of the example, by way |
| `mainstay_example_ready` | gauge |  | Whether the example is ready |
| `mainstay_example_seconds` | histogram | `way` | Time that the example takes |
";
        assert_eq!(catalogue.reference(), table);
    }
}
