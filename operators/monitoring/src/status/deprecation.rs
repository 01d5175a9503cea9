//! Fields that should not be used any longer, each with the field to use in its place.

use api_monitoring::alertmanager::AlertmanagerSpec;
use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::thanos_ruler::ThanosRulerSpec;

/// What is wrong with a Prometheus.
pub fn of_prometheus(spec: &PrometheusSpec) -> Vec<String> {
    let is_given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let mut told = of_image([&spec.base_image, &spec.tag, &spec.sha]);
    if let Some(thanos) = &spec.thanos {
        for (field, text) in [
            ("spec.thanos.baseImage", &thanos.base_image),
            ("spec.thanos.tag", &thanos.tag),
            ("spec.thanos.sha", &thanos.sha),
        ] {
            if is_given(text) {
                told.push(tell(field, "spec.thanos.image"));
            }
        }
    }
    told
}

/// What is wrong with an Alertmanager.
pub fn of_alertmanager(spec: &AlertmanagerSpec) -> Vec<String> {
    of_image([&spec.base_image, &spec.tag, &spec.sha])
}

/// What is wrong with a ThanosRuler.
pub fn of_thanos_ruler(spec: &ThanosRulerSpec) -> Vec<String> {
    if spec.prometheus_rules_excluded_from_enforce.is_empty() {
        return Vec::new();
    }
    vec![tell("spec.prometheusRulesExcludedFromEnforce", "spec.excludedFromEnforcement")]
}

fn of_image([base_image, tag, sha]: [&String; 3]) -> Vec<String> {
    [("spec.baseImage", base_image), ("spec.tag", tag), ("spec.sha", sha)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(field, _)| tell(field, "spec.image"))
        .collect()
}

fn tell(field: &str, instead: &str) -> String {
    format!("field {field:?} is deprecated, field {instead:?} should be used instead")
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::thanos::ThanosSpec;
    use api_monitoring::reference::RuleExclusion;

    use super::*;

    #[test]
    fn every_old_field_is_told_with_its_successor() {
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
