//! Errors of the real programs about invalid configurations.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::rejections::error_text::is_rejection;
use monitoring_select::SelectableKind;

const RULES: &str = "team-rules-01234567-89ab-cdef-0123-456789abcdef.yaml";

/// A configuration with a good job and, from the ninth line on, a bad one.
fn prometheus(extra: &str) -> String {
    let job = |name: &str| format!("- job_name: {name}\n  static_configs:\n  - targets: [\"127.0.0.1:1\"]\n");
    let head = "global:\n  scrape_interval: 30s\nrule_files:\n- /etc/rules/*.yaml\nscrape_configs:\n";
    format!("{head}{}{}{extra}", job("serviceMonitor/team/good/0"), job("serviceMonitor/team/bad/0"))
}

fn alertmanager(route: &str, receiver: &str, tail: &str) -> String {
    format!(
        "route:\n  receiver: \"null\"\n  routes:\n  - receiver: team/bad/receiver\n{route}receivers:\n- name: \"null\"\n\
         - name: team/good/receiver\n- name: team/bad/receiver\n{receiver}{tail}"
    )
}

fn objects() -> BTreeSet<ResourceRef> {
    let two = |kind| [ResourceRef::new(kind, "team", "good"), ResourceRef::new(kind, "team", "bad")];
    [SelectableKind::ServiceMonitor, SelectableKind::AlertmanagerConfig]
        .into_iter()
        .flat_map(two)
        .chain([rules()])
        .collect()
}

fn rules() -> ResourceRef {
    ResourceRef::new(SelectableKind::PrometheusRule, "team", "rules")
}

/// The resources that are named; none stands for the workload itself.
type Mentioned = BTreeSet<Option<ResourceRef>>;

fn found(document: &str, text: &str) -> Mentioned {
    let parts = Parts::read(document, objects(), BTreeMap::from([(RULES.to_owned(), rules())]));
    mentioned(text, &parts).into_iter().map(Option::<&ResourceRef>::cloned).collect()
}

fn named(resources: &[ResourceRef]) -> Mentioned {
    resources.iter().cloned().map(Some).collect()
}

fn nothing() -> Mentioned {
    Mentioned::new()
}

fn itself() -> Mentioned {
    Mentioned::from([None])
}

fn all_are(expected: &Mentioned, document: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(found(document, text), *expected, "{text}\n{document}");
        assert!(is_rejection(text), "{text}");
    }
}

/// The error of Prometheus about an invalid file.
fn body(text: &str) -> String {
    let file = "/etc/prometheus/config_out/prometheus.env.yaml";
    format!(
        "failed to reload config: couldn't load configuration (--config.file=\"{file}\"): parsing YAML file {file}: {text}\n"
    )
}

#[test]
fn jobs_that_prometheus_names() {
    let bad = named(&[ResourceRef::new(SelectableKind::ServiceMonitor, "team", "bad")]);
    // 2.42.0 and 3.13.1 report the same, except for the protocols, which only 3.13.1 has.
    for text in [
        "found multiple scrape configs with job name \"serviceMonitor/team/bad/0\"",
        "scrape timeout greater than scrape interval for scrape config with job name \"serviceMonitor/team/bad/0\"",
        "scrape_protocols: unknown scrape protocol Morse, supported: [OpenMetricsText0.0.1 OpenMetricsText1.0.0 \
         PrometheusProto PrometheusText0.0.4 PrometheusText1.0.0] for scrape config with job name \
         \"serviceMonitor/team/bad/0\"",
    ] {
        all_are(&bad, &prometheus(""), &[&body(text)]);
    }
    // A longer name is another one.
    let other = body("found multiple scrape configs with job name \"serviceMonitor/team/bad-one/0\"");
    assert_eq!(found(&prometheus(""), &other), nothing());
}

#[test]
fn lines_that_prometheus_names() {
    let bad = named(&[ResourceRef::new(SelectableKind::ServiceMonitor, "team", "bad")]);
    let cases = [
        (
            "  no_such_field: 1\n",
            "yaml: unmarshal errors:\n  line 12: field no_such_field not found in type config.ScrapeConfig",
        ),
        (
            "  honor_labels: perhaps\n",
            "yaml: unmarshal errors:\n  line 12: cannot unmarshal !!str `perhaps` into bool",
        ),
        (
            "  params: {a: 1}\n",
            "yaml: unmarshal errors:\n  line 12: cannot unmarshal !!int `1` into []string",
        ),
        ("  a: b: c\n", "yaml: line 12: mapping values are not allowed in this context"),
        (
            "  kubernetes_sd_configs:\n  - role: pod\n    nope: 1\n",
            "yaml: unmarshal errors:\n  line 14: field nope not found in type kubernetes.plain",
        ),
        (
            "  tls_config:\n    ca: x\n",
            "yaml: unmarshal errors:\n  line 13: field ca not found in type config.plain",
        ),
    ];
    for (extra, text) in cases {
        all_are(&bad, &prometheus(extra), &[&body(text)]);
    }
    let both = "yaml: unmarshal errors:\n  line 7: field a not found in type config.ScrapeConfig\n  line 12: field b not \
                found in type config.ScrapeConfig";
    let two =
        named(&["good", "bad"].map(|name| ResourceRef::new(SelectableKind::ServiceMonitor, "team", name)));
    all_are(&two, &prometheus("  b: 1\n"), &[&body(both)]);
    // As our reloader reports it.
    let error = "the reload was answered 500 (line 7, 12); the log of the reloader says more";
    assert_eq!(found(&prometheus("  b: 1\n"), error), two);
    let global = "yaml: unmarshal errors:\n  line 2: field a not found in type config.GlobalConfig";
    all_are(&itself(), &prometheus(""), &[&body(global)]);
}

#[test]
fn lines_in_a_log_are_read_too() {
    let log = "ts=2026-11-16T15:27:44.328Z caller=main.go:469 level=error msg=\"Error loading config \
               (--config.file=/etc/p.yml)\" file=/etc/p.yml err=\"parsing YAML file /etc/p.yml: yaml: unmarshal \
               errors:\\n  line 12: field no_such not found in type config.ScrapeConfig\"\n";
    let bad = named(&[ResourceRef::new(SelectableKind::ServiceMonitor, "team", "bad")]);
    all_are(&bad, &prometheus("  no_such: 1\n"), &[log]);
}

#[test]
fn pieces_of_the_configuration_that_prometheus_quotes() {
    let bad = named(&[ResourceRef::new(SelectableKind::ServiceMonitor, "team", "bad")]);
    let relabel = |field: &str| format!("  relabel_configs:\n  - {field}\n");
    let cases = [
        // 2.42.0, then 3.13.1.
        (relabel("regex: ((broken"), "error parsing regexp: missing closing ): `^(?:((broken)$`"),
        (relabel("regex: ((broken"), "error parsing regexp: missing closing ): `^(?s:((broken)$`"),
        (relabel("regex: a[z"), "error parsing regexp: missing closing ]: `[z)$`"),
        (relabel("action: frobnicate"), "unknown relabel action \"frobnicate\""),
        (relabel("target_label: a-b"), "\"a-b\" is invalid 'target_label' for lowercase action"),
        ("  scrape_interval: 3x\n".into(), "not a valid duration string: \"3x\""),
        ("  scrape_interval: 3x\n".into(), "unknown unit \"x\" in duration \"3x\""),
        (
            "  proxy_url: http://user:word@[::1\n".into(),
            "parse \"http://user:word@[::1\": missing ']' in host",
        ),
        ("  static_configs:\n  - targets: [http://x/y]\n".into(), "\"http://x/y\" is not a valid hostname"),
        ("  kubernetes_sd_configs:\n  - role: podd\n".into(), "unknown Kubernetes SD role \"podd\""),
        ("  labels:\n    a-b: 1\n".into(), "\"a-b\" is not a valid label name"),
    ];
    for (extra, text) in cases {
        all_are(&bad, &prometheus(&extra), &[&body(text)]);
    }
    // The same in a section of the workload itself.
    let own = prometheus("remote_write:\n- url: x\n  write_relabel_configs:\n  - regex: ((broken\n");
    all_are(&itself(), &own, &[&body("error parsing regexp: missing closing ): `^(?s:((broken)$`")]);
    let version = prometheus("alerting:\n  alertmanagers:\n  - api_version: v9\n");
    let text = body("expected Alertmanager api version to be one of [v2] but got v9");
    all_are(&nothing(), &version, &[&text]);
}

#[test]
fn errors_of_prometheus_that_name_no_resource() {
    for text in [
        "relabel configuration for hashmod requires non-zero modulus",
        "at most one of basic_auth, oauth2 & authorization must be configured",
        "URL scheme must be 'http' or 'https'",
    ] {
        all_are(&nothing(), &prometheus("  a: 1\n"), &[&body(text)]);
    }
    let rules = "failed to reload config: one or more errors occurred while applying the new configuration \
                 (--config.file=\"/etc/prometheus/config_out/prometheus.env.yaml\")\n";
    all_are(&nothing(), &prometheus(""), &[rules]);
    let ruler = "reloading rules failed: strategy ABORT, update rules: error loading rules, previous rule set restored\n";
    all_are(&nothing(), "", &[ruler]);
}

#[test]
fn rule_files_are_named_in_logs() {
    let errors = [
        "5:11: group \\\"group-a\\\", rule 1, \\\"a:b\\\": could not parse expression: 1:4: parse error: unexpected \
         identifier \\\"up\\\"",
        "7:11: group \\\"group-a\\\", rule 2, \\\"Wrong\\\": could not parse expression: 1:12: parse error: unclosed left \
         parenthesis",
        "group \\\"group-a\\\", rule 1, \\\"Wrong\\\": annotation \\\"summary\\\": template: __alert_Wrong:1: function \
         \\\"nosuch\\\" not defined",
        "group \\\"group-a\\\", rule 1, \\\"Wrong\\\": label \\\"severity\\\": template: __alert_Wrong:1: unclosed action",
        "yaml: unmarshal errors:\\n  line 6: field fro not found in type rulefmt.Rule",
        "yaml: unmarshal errors:\\n  line 3: field nosuch not found in type rulefmt.RuleGroup",
        "0:0: groupname: \\\"a\\\" is repeated in the same file",
        "4:13: group \\\"group-a\\\", rule 1, \\\"x\\\": invalid field 'for' in recording rule",
        "not a valid duration string: \\\"5q\\\"",
        "unknown unit \\\"q\\\" in duration \\\"5q\\\"",
        "yaml: line 3: did not find expected node content",
    ];
    let rules = named(&[rules()]);
    for error in errors {
        let old = format!(
            "ts=2026-11-16T15:25:58.141Z caller=manager.go:1015 level=error component=\"rule manager\" msg=\"loading \
             groups failed\" err=\"/etc/prometheus/rules/prometheus-main-rulefiles-0/{RULES}: {error}\"\n"
        );
        let new = format!(
            "time=2026-11-16T15:26:06.521Z level=ERROR source=manager.go:262 msg=\"loading groups failed\" \
             component=\"rule manager\" err=\"/etc/prometheus/rules/prometheus-main-rulefiles-0/{RULES}: {error}\"\n"
        );
        let ruler = format!(
            "ts=2026-11-16T15:26:22.142216993Z caller=handler.go:87 level=error caller=manager.go:253 msg=\"loading groups \
             failed\" err=\"/thanos/data/.tmp-rules/ABORT/etc/thanos/rules/{RULES}: {error}\"\n"
        );
        all_are(&rules, &prometheus(""), &[&old, &new, &ruler]);
    }
    // Thanos Ruler also names the file in its answer, if the file cannot be read.
    let ruler = format!(
        "reloading rules failed: /etc/thanos/rules/{RULES}: yaml: line 3: did not find expected node content\n"
    );
    all_are(&rules, "", &[&ruler]);
    // Prometheus 3.13 names the file when it starts.
    let start = format!(
        "time=2026-11-16T15:27:44.751Z level=ERROR source=main.go:765 msg=\"Error loading rule file patterns from config\" \
         err=\"parse rules from file \\\"/etc/rules/{RULES}\\\" (pattern: \\\"/etc/rules/*.yaml\\\"): 5:11: group\""
    );
    all_are(&rules, &prometheus(""), &[&start]);
}

#[test]
fn receivers_and_intervals_that_alertmanager_names() {
    let bad = named(&[ResourceRef::new(SelectableKind::AlertmanagerConfig, "team", "bad")]);
    let texts = [
        "failed to reload config: undefined receiver \"team/bad/receiver\" used in route\n",
        "failed to reload config: notification config name \"team/bad/receiver\" is not unique\n",
        "failed to reload config: undefined time interval \"team/bad/night\" used in route\n",
        "failed to reload config: time interval \"team/bad/night\" is not unique\n",
        "time=2026-11-16T15:27:44.812Z level=ERROR source=main.go:273 msg=\"error loading configuration file\" \
         err=\"undefined receiver \\\"team/bad/receiver\\\" used in route\"\n",
    ];
    all_are(&bad, &alertmanager("", "", ""), &texts);
}

#[test]
fn lines_and_pieces_that_alertmanager_reports() {
    let bad = named(&[ResourceRef::new(SelectableKind::AlertmanagerConfig, "team", "bad")]);
    let webhook = |fields: &str| format!("  webhook_configs:\n  - {fields}\n");
    let route = |field: &str| alertmanager(&format!("    {field}\n"), "", "");
    let receiver = |fields: &str| alertmanager("", fields, "");
    let cases = [
        // 0.25.0, then 0.33.1.
        (
            receiver(&webhook("url: u\n    nope: 1")),
            "yaml: unmarshal errors:\n  line 11: field nope not found in type config.plain",
        ),
        (
            receiver(&webhook("url: u\n    nope: 1")),
            "yaml: unmarshal errors:\n  line 11: field nope not found in type webhook.plain",
        ),
        (
            receiver("  rocketchat_configs:\n  - token: a\n"),
            "yaml: unmarshal errors:\n  line 9: field rocketchat_configs not found in type config.plain",
        ),
        (receiver(&webhook("url: ftp://x")), "unsupported scheme \"ftp\" for URL"),
        (receiver(&webhook("url: ftp://x")), "invalid URL: unsupported scheme \"ftp\" for URL"),
        (receiver(&webhook("url: http://[::1")), "invalid URL: parse \"http://[::1\": missing ']' in host"),
        (route("match_re: {a: ((}"), "error parsing regexp: missing closing ): `^(?:(()$`"),
        (route("matchers: [a b = c]"), "bad matcher format: a b = c"),
        (route("group_by: [a b]"), "invalid label name \"a b\" in group_by list"),
        (route("group_wait: 3x"), "not a valid duration string: \"3x\""),
        (
            receiver(&webhook("http_config: {tls_config: {ca_file: /no/such}}")),
            "unable to read CA cert: unable to read file /no/such: open /no/such: no such file or directory",
        ),
        (
            receiver(&webhook("http_config: {tls_config: {ca_file: /no/such}}")),
            "unable to load specified CA cert /no/such: open /no/such: no such file or directory",
        ),
    ];
    for (document, text) in cases {
        all_are(&bad, &document, &[&format!("failed to reload config: {text}\n")]);
    }
}

#[test]
fn errors_of_alertmanager_that_name_no_resource() {
    let texts = [
        "failed to reload config: missing URL in webhook config\n",
        "failed to reload config: one of url or url_file must be configured\n",
        "failed to reload config: repeat_interval cannot be zero\n",
        "failed to reload config: couldn't parse timestamp 25:00, invalid format\n",
        "failed to reload config: missing to address in email config\n",
        "failed to reload config: no global SMTP smarthost set\n",
        "failed to reload config: missing service or routing key in PagerDuty config\n",
        "failed to reload config: no global OpsGenie API Key set either inline or in a file\n",
        "failed to reload config: no Slack API URL nor App token set either inline or in a file\n",
        "failed to reload config: opsGenieConfig responder { a  frog} type does not match valid options \
         ^(team|teams|user|escalation|schedule)$\n",
        "failed to reload config: failed to parse templates: template: bad.tmpl:1: function \"nosuch\" not defined\n",
        "failed to reload config: root route must not have any matchers\n",
    ];
    all_are(&nothing(), &alertmanager("", "  webhook_configs:\n  - url: u\n", ""), &texts);
}

#[test]
fn text_that_many_resources_contain_names_none() {
    let job = |index: usize| format!("- job_name: serviceMonitor/team/{index}/0\n  scrape_interval: 3x\n");
    let text = format!("scrape_configs:\n{}", (0..10).map(job).collect::<String>());
    let objects = (0..10)
        .map(|index| ResourceRef::new(SelectableKind::ServiceMonitor, "team", index.to_string()))
        .collect();
    let parts = Parts::read(&text, objects, BTreeMap::new());
    assert_eq!(mentioned(&body("not a valid duration string: \"3x\""), &parts), BTreeSet::new());
}

#[test]
fn the_quoted_field_is_found_in_the_resource() {
    let object = json!({"metadata": {"name": "SDK"}, "spec": {
        "staticConfigs": [{"targets": ["a"]}],
        "azureSDConfigs": [{"port": 1}, {"authenticationMethod": "SDK", "tenantID": "t"}],
        "relabelings": [{"regex": "a[b"}],
    }});
    let text =
        body("unknown authentication_type \"SDK\". Supported types are \"OAuth\" or \"ManagedIdentity\"");
    let path = "spec.azureSDConfigs[1].authenticationMethod".to_owned();
    assert_eq!(quoted_field(&object, &text), Some((path, "SDK")));
    let text = body("error parsing regexp: missing closing ]: `a[b`");
    assert_eq!(quoted_field(&object, &text), Some(("spec.relabelings[0].regex".into(), "a[b")));
    assert_eq!(quoted_field(&object, &body("something else is wrong with \"b\"")), None);
}

#[test]
fn a_termination_for_other_reasons_is_no_rejection() {
    for text in ["out of memory", "level=info msg=\"See you next time!\"", ""] {
        assert!(!is_rejection(text));
    }
}
