//! Configurations that Alertmanager accepts, and configurations that it rejects.

use super::*;

fn checked(text: &str) -> Result<(), String> {
    let config = Config::from_text(text).map_err(|error| error.to_string())?;
    check(&config, text).map_err(|error| error.to_string())
}

/// A configuration with one receiver.
fn with(kind: &str, fields: &str, global: &str) -> String {
    format!(
        "global: {{{global}}}\nroute: {{receiver: a}}\nreceivers:\n- name: a\n  {kind}_configs:\n  - {{{fields}}}\n"
    )
}

#[test]
fn valid_receivers_are_accepted() {
    for (kind, fields, global) in [
        ("webhook", "url: 'http://a', timeout: 90m", ""),
        ("webhook", "url: 'http://{{ .A }}'", ""),
        ("webhook", "url: <secret>", ""),
        ("email", "to: a", "smtp_smarthost: 'a:25', smtp_from: b"),
        ("slack", "channel: a", "slack_api_url: 'http://a'"),
        ("slack", "channel: a", "slack_api_url: <secret>"),
        ("slack", "app_token: a", ""),
        ("opsgenie", "responders: [{id: a, type: Team}]", "opsgenie_api_key: a"),
        ("wechat", "corp_id: a, api_secret: b", ""),
        ("pushover", "user_key: a, token: b, retry: 1m", ""),
        ("victorops", "routing_key: a, api_key: b", ""),
        ("sns", "topic_arn: a, sigv4: {region: b}", ""),
        ("telegram", "chat_id: -1, bot_token: a", ""),
        ("webex", "room_id: a, http_config: {bearer_token: b}", ""),
        ("discord", "webhook_url: 'http://a'", ""),
        ("jira", "project: a, issue_type: b", "jira_api_url: 'http://a'"),
        ("rocketchat", "token: a, token_id: b", ""),
        ("mattermost", "channel: a", "mattermost_webhook_url: 'http://a'"),
        ("incidentio", "url: 'http://a', alert_source_token: b", ""),
        ("pagerduty", "routing_key: a, details: {a: {b: c}}", ""),
    ] {
        assert_eq!(checked(&with(kind, fields, global)), Ok(()), "{kind} {fields}");
    }
}

#[test]
fn invalid_receivers_are_rejected() {
    for (kind, fields, global, message) in [
        ("webhook", "max_alerts: 1", "", "one of url or url_file must be configured"),
        ("webhook", "url: a", "", "invalid URL: unsupported scheme \"\" for URL"),
        ("webhook", "url: '{{ .A'", "", "invalid template syntax: template: :1: unclosed action"),
        ("webhook", "url: 'http://a', timeout: 1d", "", "cannot unmarshal !!str `1d` into time.Duration"),
        ("slack", "app_token: a, app_url: ''", "", "unsupported scheme \"\" for URL"),
        ("telegram", "chat_id: 1, bot_token: a, api_url: ''", "", "unsupported scheme \"\" for URL"),
        ("webhook", "url: 'http://a'", "pagerduty_url: ''", "unsupported scheme \"\" for URL"),
        ("email", "to: a", "", "no global SMTP smarthost set"),
        ("email", "to: a, smarthost: 'a:1'", "", "no global SMTP from set"),
        (
            "email",
            "to: a, headers: {subject: a, Subject: b}",
            "",
            "duplicate header \"Subject\" in email config",
        ),
        ("slack", "channel: a", "", "no Slack API URL nor App token set either inline or in a file"),
        (
            "slack",
            "app_token: a, http_config: {bearer_token: b}",
            "",
            "http authorization can't be set when using Slack App tokens",
        ),
        ("opsgenie", "note: a", "", "no global OpsGenie API Key set either inline or in a file"),
        (
            "opsgenie",
            "responders: [{id: a, type: b}]",
            "opsgenie_api_key: a",
            "opsGenieConfig responder {a   b} type does not match valid options ^(team|teams|user|escalation|schedule)$",
        ),
        ("wechat", "api_secret: a", "", "no global Wechat CorpID set"),
        ("pushover", "user_key: a, token: b, retry: 1d", "", "time: unknown unit \"d\" in duration \"1d\""),
        ("victorops", "routing_key: a", "", "no global VictorOps API Key set"),
        (
            "sns",
            "subject: a",
            "",
            "must provide either a Target ARN, Topic ARN, or Phone Number for SNS config",
        ),
        ("telegram", "chat_id: 1", "", "missing bot_token or bot_token_file on telegram_config"),
        ("webex", "room_id: a", "", "missing webex_configs.http_config.authorization"),
        ("discord", "title: a", "", "one of webhook_url or webhook_url_file must be configured"),
        ("jira", "project: a, issue_type: b", "", "no global Jira Cloud URL set"),
        ("rocketchat", "token: a", "", "no global Rocketchat TokenID set either inline or in a file"),
        ("mattermost", "channel: a", "", "missing webhook_url or webhook_url_file on mattermost_config"),
        ("pagerduty", "client: a", "", "missing service or routing key in PagerDuty config"),
        ("slack", "channel: a", "slack_api_url: a", "unsupported scheme \"\" for URL"),
        (
            "webhook",
            "url: 'http://a'",
            "hipchat_auth_token: a",
            "field hipchat_auth_token not found in type config.plain",
        ),
    ] {
        assert_eq!(checked(&with(kind, fields, global)), Err(message.to_owned()), "{kind} {fields}");
    }
}

#[test]
fn contradictory_http_clients_are_rejected() {
    for (client, message) in [
        (
            "bearer_token: a, basic_auth: {username: b}",
            "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured",
        ),
        (
            "authorization: {type: Basic}",
            "authorization type cannot be set to \"basic\", use \"basic_auth\" instead",
        ),
        ("oauth2: {client_id: a}", "oauth2 token_url must be configured"),
        ("no_proxy: a", "if no_proxy is configured, proxy_url must also be configured"),
        (
            "tls_config: {cert_file: a}",
            "exactly one of key or key_file must be configured when a client certificate is configured",
        ),
        ("http_headers: {host: {values: [a]}}", "setting header \"Host\" is not allowed"),
    ] {
        let text = with("webhook", &format!("url: 'http://a', http_config: {{{client}}}"), "");
        assert_eq!(checked(&text), Err(message.to_owned()), "{client}");
    }
}

#[test]
fn invalid_routes_are_rejected() {
    for (route, rest, message) in [
        ("receiver: b", "", "undefined receiver \"b\" used in route"),
        ("group_by: [a]", "", "root route must specify a default receiver"),
        ("receiver: a, match: {b: c}", "", "root route must not have any matchers"),
        ("receiver: a, continue: true", "", "cannot have continue in root route"),
        (
            "receiver: a, group_by: ['...', b]",
            "",
            "cannot have wildcard group_by (`...`) and other labels at the same time",
        ),
        ("receiver: a, group_by: [b, b]", "", "duplicated label \"b\" in group_by"),
        ("receiver: a, group_by: [b-c]", "", "invalid label name \"b-c\" in group_by list"),
        ("receiver: a, group_interval: 0s", "", "group_interval cannot be zero"),
        ("receiver: a, group_wait: ''", "", "empty duration string"),
        ("receiver: a, group_wait: x", "", "not a valid duration string: \"x\""),
        ("receiver: a, routes: [{matchers: ['b']}]", "", "bad matcher format: b"),
        (
            "receiver: a, routes: [{mute_time_intervals: [b]}]",
            "",
            "undefined time interval \"b\" used in route",
        ),
        ("receiver: a", "inhibit_rules: [{equal: ['b c']}]", "invalid label name \"b c\" in equal list"),
        ("receiver: a", "time_intervals: [{name: b}, {name: b}]", "time interval \"b\" is not unique"),
        ("receiver: a", "mute_time_intervals: [{name: ''}]", "missing name in mute time interval"),
    ] {
        let text = format!("route: {{{route}}}\nreceivers: [{{name: a}}]\n{rest}\n");
        assert_eq!(checked(&text), Err(message.to_owned()), "{route} {rest}");
    }
    assert_eq!(checked("receivers: [{name: a}]"), Err("no routes provided".into()));
    let twice = "route: {receiver: a}\nreceivers: [{name: a}, {name: a}]\n";
    assert_eq!(checked(twice), Err("notification config name \"a\" is not unique".into()));
}
