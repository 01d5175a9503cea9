//! Go templates, in each place where they are parsed.

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::{AlertmanagerConfigSpec, ApiVersion};
use api_monitoring::prometheus_rule::{PrometheusRuleSpec, Rule, RuleGroup};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use monitoring_alerting::raw_configuration;
use monitoring_rules::Options;
use monitoring_rules::check::check;
use monitoring_rules::names::Names;
use operator_monitoring::admission::validate;
use serde_json::json;

/// Uses the input as a template.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    rule(text);
    resource(text);
    file(text);
}

fn rule(text: &str) {
    let rule = Rule {
        alert: "A".into(),
        expr: IntOrString::Int(1),
        annotations: BTreeMap::from([("a".to_owned(), text.to_owned())]),
        ..Rule::default()
    };
    let group = RuleGroup { name: "g".into(), rules: vec![rule], ..RuleGroup::default() };
    let _ = check(&PrometheusRuleSpec { groups: vec![group] }, Names::Utf8, Options::default());
}

/// URLs of an AlertmanagerConfig can be templates.
fn resource(text: &str) {
    let receiver = json!({"name": "r", "slackConfigs": [{"titleLink": text, "iconURL": text, "actions": [
        {"type": "button", "text": text, "url": text}]}], "pagerdutyConfigs": [{"clientURL": text, "url": text}]});
    let Ok(receiver) = serde_json::from_value::<Receiver>(receiver) else { return };
    let spec = AlertmanagerConfigSpec { receivers: vec![receiver], ..AlertmanagerConfigSpec::default() };
    let _ = validate::check(&spec, ApiVersion::V1Beta1);
}

/// URLs of the file of an Alertmanager can be templates, too.
fn file(text: &str) {
    let text = json!(text);
    let file = format!(
        "route: {{receiver: r}}\nreceivers:\n- name: r\n  webhook_configs: [{{url: {text}}}]\n  \
         slack_configs: [{{api_url: 'https://example.com', title: {text}}}]\n"
    );
    let _ = raw_configuration::read(&file);
}
