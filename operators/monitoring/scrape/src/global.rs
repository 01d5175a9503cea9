//! `global`: defaults of all jobs and rules.

use std::collections::BTreeMap;

use api_monitoring::prometheus::PrometheusSpec;
use formats::prometheus::Section;
use monitoring_select::Server;
use monitoring_select::duration::{self, InvalidDuration};

use crate::client::{put_text, texts};
use crate::{job, limits, log_file};

/// The default name of the label that distinguishes replicas.
pub(crate) const REPLICA: &str = "prometheus_replica";

/// Checks that a scrape ends before the next one begins.
pub(crate) fn check_timeout(server: &Server<'_>) -> Result<(), InvalidDuration> {
    duration::check_timeout(&server.spec.scrape_timeout, &server.spec.scrape_interval, "")
}

/// The fields that servers and agents have.
pub(crate) fn put(section: &mut Section<'_, '_>, server: &Server<'_>) {
    let spec = server.spec;
    section.put("scrape_interval", spec.scrape_interval.to_string());
    put_text(section, "scrape_timeout", &spec.scrape_timeout);
    job::put_protocols(section, &spec.scrape_protocols);
    section.put("external_labels", texts(&external_labels(server)));
    limits::put_global(section, server);
    section.put_some("scrape_failure_log_file", spec.scrape_failure_log_file.as_deref().map(log_file::path));
    let (validation, escaping) = (&spec.name_validation_scheme, &spec.name_escaping_scheme);
    job::put_name_schemes(section, validation.as_ref(), escaping.as_ref());
    section.put_some("convert_classic_histograms_to_nhcb", spec.convert_classic_histograms_to_nhcb);
    section.put_some("always_scrape_classic_histograms", spec.scrape_classic_histograms);
    section.put_some("scrape_native_histograms", spec.scrape_native_histograms);
}

/// The fields that only servers have.
pub(crate) fn put_rules(section: &mut Section<'_, '_>, spec: &PrometheusSpec) {
    section.put("evaluation_interval", spec.evaluation_interval.to_string());
    section.put_some("rule_query_offset", spec.rule_query_offset.as_ref().map(ToString::to_string));
    if !spec.query_log_file.is_empty() {
        section.put("query_log_file", log_file::path(&spec.query_log_file));
    }
}

/// The external labels. Labels of the operator take precedence over labels of the user.
fn external_labels(server: &Server<'_>) -> BTreeMap<String, String> {
    let spec = server.spec;
    let mut labels = spec.external_labels.clone();
    let name = spec.prometheus_external_label_name.as_deref().unwrap_or("prometheus");
    let replica = spec.replica_external_label_name.as_deref().unwrap_or(REPLICA);
    let zone = server.topology().map(|topology| topology.external_label_name.as_deref().unwrap_or("zone"));
    for (label, value) in [
        (name, format!("{}/{}", server.namespace, server.name)),
        (replica, "$(POD_NAME)".to_owned()),
        (zone.unwrap_or_default(), "$(TOPOLOGY_ZONE)".to_owned()),
    ] {
        if !label.is_empty() {
            labels.insert(label.to_owned(), value);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use formats::version::Version;

    use super::*;

    #[test]
    fn a_scrape_ends_before_the_next_begins() {
        for (timeout, interval, expected) in [
            ("", "never", None),
            ("10s", "10s", None),
            ("1m", "59s", Some("scrapeTimeout \"1m\" greater than scrapeInterval \"59s\"")),
            ("1m", "", Some("invalid scrapeInterval \"\": empty duration string")),
            ("1", "1m", Some("invalid scrapeTimeout: \"1\": not a valid duration string: \"1\"")),
        ] {
            let spec = SharedSpec {
                scrape_timeout: timeout.into(),
                scrape_interval: interval.into(),
                ..SharedSpec::default()
            };
            let server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
            let rejected = check_timeout(&server).err().map(|error| error.to_string());
            assert_eq!(rejected.as_deref(), expected);
        }
    }

    #[test]
    fn labels_of_the_operator_take_precedence() {
        let own = [("prometheus", "x"), ("team", "y")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let spec = SharedSpec {
            external_labels: own.into(),
            replica_external_label_name: Some(String::new()),
            ..SharedSpec::default()
        };
        let server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
        let expected = [("prometheus", "ns/name"), ("team", "y")];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(external_labels(&server), expected.into());
    }
}
