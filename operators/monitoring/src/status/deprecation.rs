//! Deprecated fields, each with its replacement.

use api_monitoring::alertmanager::AlertmanagerSpec;
use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::thanos_ruler::ThanosRulerSpec;

/// The messages about a Prometheus.
pub fn of_prometheus(spec: &PrometheusSpec) -> Vec<String> {
    let mut messages = of_image("spec", [&spec.base_image, &spec.tag, &spec.sha]);
    if let Some(thanos) = &spec.thanos {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let image = [&text(&thanos.base_image), &text(&thanos.tag), &text(&thanos.sha)];
        messages.extend(of_image("spec.thanos", image));
    }
    messages
}

/// The messages about an Alertmanager.
pub fn of_alertmanager(spec: &AlertmanagerSpec) -> Vec<String> {
    of_image("spec", [&spec.base_image, &spec.tag, &spec.sha])
}

/// The messages about a ThanosRuler.
pub fn of_thanos_ruler(spec: &ThanosRulerSpec) -> Vec<String> {
    let is_set = !spec.prometheus_rules_excluded_from_enforce.is_empty();
    let message = || message("spec.prometheusRulesExcludedFromEnforce", "spec.excludedFromEnforcement");
    is_set.then(message).into_iter().collect()
}

fn of_image(parent: &str, texts: [&String; 3]) -> Vec<String> {
    let fields = ["baseImage", "tag", "sha"].into_iter().zip(texts).filter(|(_, text)| !text.is_empty());
    fields.map(|(field, _)| message(&format!("{parent}.{field}"), &format!("{parent}.image"))).collect()
}

fn message(field: &str, instead: &str) -> String {
    format!("field {field:?} is deprecated, field {instead:?} should be used instead")
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::thanos::ThanosSpec;
    use api_monitoring::reference::RuleExclusion;

    use super::*;

    #[test]
    fn each_deprecated_field_has_its_replacement() {
        let thanos = ThanosSpec { tag: Some("t".into()), sha: Some(String::new()), ..ThanosSpec::default() };
        let spec = PrometheusSpec { sha: "s".into(), thanos: Some(thanos), ..PrometheusSpec::default() };
        assert_eq!(
            of_prometheus(&spec),
            [
                "field \"spec.sha\" is deprecated, field \"spec.image\" should be used instead",
                "field \"spec.thanos.tag\" is deprecated, field \"spec.thanos.image\" should be used instead",
            ]
        );
        assert_eq!(of_alertmanager(&AlertmanagerSpec::default()), Vec::<String>::new());
        let spec = ThanosRulerSpec {
            prometheus_rules_excluded_from_enforce: vec![RuleExclusion::default()],
            ..ThanosRulerSpec::default()
        };
        assert_eq!(
            of_thanos_ruler(&spec),
            ["field \"spec.prometheusRulesExcludedFromEnforce\" is deprecated, field \
              \"spec.excludedFromEnforcement\" should be used instead"]
        );
    }
}
