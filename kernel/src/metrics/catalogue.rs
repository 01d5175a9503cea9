//! All metric families of a process with their descriptions: one list for the page that Prometheus scrapes, for the
//! reference in the documents and for the check of names. There are no globals: each component gets the metrics that it
//! updates.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use super::faults::faults_of;
use super::section::CatalogueSection;

/// The prefix of our own names.
const PREFIX: &str = "mainstay";
/// The media type of [`Catalogue::expose`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The type of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

impl MetricKind {
    /// As Prometheus writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// The description of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyDescription {
    /// Its full name, as Prometheus shows it.
    pub name: String,
    /// Its kind.
    pub kind: MetricKind,
    /// Names of its labels.
    pub labels: Vec<&'static str>,
    /// Its help text.
    pub help: &'static str,
}

/// All families of a process.
#[derive(Debug, Default)]
pub struct Catalogue {
    pub(super) registry: Registry,
    entries: Vec<FamilyDescription>,
}

impl Catalogue {
    /// The part whose names begin with a prefix; without a prefix if it is empty.
    pub fn under(&mut self, prefix: &'static str) -> CatalogueSection<'_> {
        CatalogueSection { catalogue: self, prefix }
    }

    /// The part whose names are ours.
    pub fn ours(&mut self) -> CatalogueSection<'_> {
        self.under(PREFIX)
    }

    /// The descriptions of all families, in the order in which they were added.
    pub fn entries(&self) -> &[FamilyDescription] {
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
        let mut entries: Vec<&FamilyDescription> = self.entries.iter().collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let mut text = String::from("| name | type | labels | description |\n|---|---|---|---|\n");
        for FamilyDescription { name, kind, labels, help } in entries {
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| `{name}` | {} | {} | {help} |", kind.as_str(), labels.join(", "));
        }
        text
    }

    /// The problems of the names and help texts. Every crate that registers families has a test that expects none.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let mut found = faults_of(entry);
            if self.entries.iter().take(index).any(|earlier| earlier.name == entry.name) {
                found.push("is registered twice".to_owned());
            }
            faults.extend(found.into_iter().map(|fault| format!("{} {fault}", entry.name)));
        }
        faults
    }

    pub(super) fn note(&mut self, name: &str, kind: MetricKind, labels: &[&'static str], help: &'static str) {
        let name = if kind == MetricKind::Counter { format!("{name}_total") } else { name.to_owned() };
        self.entries.push(FamilyDescription { name, kind, labels: labels.to_vec(), help });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_adds_families_of_its_own() {
        let mut catalogue = Catalogue::default();
        let moves =
            catalogue.ours().counters("example_moves", ["way", "result"], "Moves of the example, by way");
        moves.with(["up", "failed"]).inc();
        moves.with(["up", "failed"]).inc();
        catalogue.ours().gauges("example_ready", [], "Whether the example is ready").with([]).set(1);
        let times = catalogue.ours().histograms(
            "example_seconds",
            ["way"],
            "Time that the example takes",
            &[0.5, 2.0],
        );
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
        let table = "| name | type | labels | description |
|---|---|---|---|
| `mainstay_example_moves_total` | counter | `way`, `result` | Moves of the example, by way |
| `mainstay_example_ready` | gauge |  | Whether the example is ready |
| `mainstay_example_seconds` | histogram | `way` | Time that the example takes |
";
        assert_eq!(catalogue.reference(), table);
    }

    #[test]
    fn names_of_another_program_and_measured_values() {
        let mut catalogue = Catalogue::default();
        let mut theirs = catalogue.under("theirs");
        theirs
            .counters("moves", ["way"], "Moves of the example, by way")
            .among(["up \"and\" down".into()])
            .inc();
        theirs.measured_gauges("sizes", ["name"], "Sizes of all that is there", || {
            vec![(["a".into()], 1.0), (["b".into()], 0.5)]
        });
        catalogue
            .under("")
            .measured_counters("plain_seconds", [], "Seconds that went by", || vec![([], 2.5)]);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
        let page = "# HELP theirs_moves Moves of the example, by way.
# TYPE theirs_moves counter
theirs_moves_total{way=\"up \\\"and\\\" down\"} 1
# HELP theirs_sizes Sizes of all that is there.
# TYPE theirs_sizes gauge
theirs_sizes{name=\"a\"} 1.0
theirs_sizes{name=\"b\"} 0.5
# HELP plain_seconds Seconds that went by.
# TYPE plain_seconds counter
plain_seconds_total{} 2.5
# EOF
";
        assert_eq!(catalogue.expose().unwrap(), page);
        let names: Vec<&str> = catalogue.entries().iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["theirs_moves_total", "theirs_sizes", "plain_seconds_total"]);
    }
}
