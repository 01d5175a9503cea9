//! Rules: accepted rules can be written, parsed and restricted to a namespace.

use api_monitoring::PrometheusRule;
use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use monitoring_rules::Options;
use monitoring_rules::check::check;
use monitoring_rules::enforce::NamespaceLabel;
use monitoring_rules::file::{RuleFormat, RuleReader, write};
use monitoring_rules::names::Names;

use super::versions::{PROMETHEUS, THANOS};

/// Every part of the query language.
const ALL: Options = Options {
    experimental_functions: true,
    duration_expressions: true,
    extended_ranges: true,
    fill_modifiers: true,
};

/// Uses the input as the spec of a rule, and as a query.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    check_query(text);
    let Ok(spec) = formats::yaml::serde::from_text::<serde_json::Value>(text) else { return };
    let Ok(spec) = serde_json::from_value::<PrometheusRuleSpec>(spec) else { return };
    check_rules(&spec);
}

/// A printed query is parsed as the same query.
fn check_query(text: &str) {
    let Ok(mut tree) = promql::parse(text, ALL) else { return };
    let once = tree.print();
    assert_eq!(printed(&once), once, "of {text:?}");
    tree.enforce("namespace", "a \"b\"");
    let restricted = tree.print();
    assert_eq!(printed(&restricted), restricted, "of {text:?}");
}

fn printed(query: &str) -> String {
    promql::parse(query, ALL).map_or_else(|error| error.to_string(), |tree| tree.print())
}

fn check_rules(spec: &PrometheusRuleSpec) {
    for names in [Names::Legacy, Names::Utf8] {
        let _ = check(spec, names, Options::default());
    }
    let versions = PROMETHEUS.map(|version| (RuleFormat::Prometheus, version)).into_iter();
    for (format, version) in versions.chain(THANOS.map(|version| (RuleFormat::Thanos, version))) {
        let reader = RuleReader { format, version, options: ALL };
        let Ok(file) = write(spec, &reader) else { continue };
        let read = formats::yaml::read(&file);
        assert!(read.is_ok(), "{read:?}: {file:?}");
        check_restricted(spec, &reader);
    }
}

/// Accepted rules are also accepted after they are restricted to a namespace. Restricting them again changes nothing.
fn check_restricted(spec: &PrometheusRuleSpec, reader: &RuleReader) {
    let mut rule = PrometheusRule::new("name", spec.clone());
    rule.metadata.namespace = Some("shop".into());
    let label = NamespaceLabel { label: "namespace", excluded: &[], excluded_rules: &[] };
    assert_eq!(label.bind_rule(&mut rule, ALL), Ok(()));
    // Restricted queries are longer; those that are too long are refused.
    let fits = rule.spec.groups.iter().flat_map(|group| &group.rules).all(|rule| match &rule.expr {
        IntOrString::Int(_) => true,
        IntOrString::String(text) => text.len() < 10_000,
    });
    let once = write(&rule.spec, reader);
    assert!(once.is_ok() || !fits, "{once:?}");
    let mut twice = rule.clone();
    assert_eq!(label.bind_rule(&mut twice, ALL), Ok(()));
    assert_eq!(twice.spec, rule.spec);
}
