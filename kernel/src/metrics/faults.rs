//! Problems of the name or the help text of a family. Pure; called by the catalogue.

use super::catalogue::{FamilyDescription, MetricKind};

/// Names of labels that have a meaning in Prometheus.
const RESERVED_LABELS: [&str; 4] = ["le", "quantile", "job", "instance"];

/// All problems, as texts that follow the name.
pub(super) fn faults_of(entry: &FamilyDescription) -> Vec<String> {
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| entry.name.ends_with(ending));
    let words = entry.help.split_whitespace().count();
    let checks = [
        (!is_snake_case(&entry.name), "is not snake case"),
        (entry.name.ends_with("_total_total"), "contains total twice"),
        (
            entry.kind != MetricKind::Counter && ends_in(&["_total", "_count", "_sum", "_bucket"]),
            "ends like another kind",
        ),
        (
            entry.kind == MetricKind::Histogram && !ends_in(&["_seconds", "_bytes"]),
            "does not end in its unit, _seconds or _bytes",
        ),
        (
            ["milliseconds", "ms", "minutes", "hours", "kilobytes", "megabytes"]
                .iter()
                .any(|unit| entry.name.split('_').any(|word| word == *unit)),
            "has a unit other than seconds and bytes",
        ),
        (
            words < 3 || !entry.help.starts_with(|first: char| first.is_ascii_uppercase()),
            "has a help that is not a sentence",
        ),
        (
            entry.help.ends_with('.') || entry.help.contains(['|', '\n']),
            "has a help with a dot at its end, a bar or a line break",
        ),
        (
            entry.labels.iter().any(|label| !is_snake_case(label) || RESERVED_LABELS.contains(label)),
            "has a label that is not snake case or is reserved by Prometheus",
        ),
    ];
    checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, fault)| fault.to_owned()).collect()
}

fn is_snake_case(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
    };
    name.split('_').all(is_word) && name.starts_with(|first: char| first.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;

    #[test]
    fn bad_names_and_helps_are_found() {
        let mut catalogue = Catalogue::default();
        catalogue.ours().counters("moves_total", [], "All the moves");
        catalogue.ours().counters("jobs", ["job"], "Jobs that were done.");
        catalogue.ours().gauges("Depth", [], "Depth of it");
        catalogue.ours().gauges("wait_ms", [], "waiting time");
        catalogue.ours().gauges("wait_ms", ["Way"], "How long it waits");
        catalogue.ours().histograms("latency", [], "How long it takes", &[]);
        let faults = [
            "mainstay_moves_total_total contains total twice",
            "mainstay_jobs_total has a help with a dot at its end, a bar or a line break",
            "mainstay_jobs_total has a label that is not snake case or is reserved by Prometheus",
            "mainstay_Depth is not snake case",
            "mainstay_wait_ms has a unit other than seconds and bytes",
            "mainstay_wait_ms has a help that is not a sentence",
            "mainstay_wait_ms has a unit other than seconds and bytes",
            "mainstay_wait_ms has a label that is not snake case or is reserved by Prometheus",
            "mainstay_wait_ms is registered twice",
            "mainstay_latency does not end in its unit, _seconds or _bytes",
        ];
        assert_eq!(catalogue.faults(), faults);
    }
}
