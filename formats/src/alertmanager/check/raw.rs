//! Fields whose notation matters. Some durations must be valid in two notations: that of Prometheus, because the
//! operator writes it, and that of Go, because Alertmanager parses these fields as `time.Duration`. An empty string
//! is an invalid URL or duration, although a field without a value is valid.

use go_syntax::duration::go;
use serde::Deserialize;

use crate::alertmanager::fit::{ConfigError, refuse};
use crate::yaml::serde::from_text;

/// The fields as they are written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    route: Route,
    receivers: Vec<Receiver>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Route {
    group_wait: Option<String>,
    group_interval: Option<String>,
    repeat_interval: Option<String>,
    routes: Vec<Route>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "these are the names in the file")]
struct Receiver {
    webhook_configs: Vec<HttpReceiver>,
    pagerduty_configs: Vec<HttpReceiver>,
    slack_configs: Vec<HttpReceiver>,
    incidentio_configs: Vec<HttpReceiver>,
    pushover_configs: Vec<Pushover>,
    opsgenie_configs: Vec<ApiReceiver>,
    wechat_configs: Vec<ApiReceiver>,
    victorops_configs: Vec<ApiReceiver>,
    telegram_configs: Vec<ApiReceiver>,
    webex_configs: Vec<ApiReceiver>,
    jira_configs: Vec<ApiReceiver>,
    rocketchat_configs: Vec<ApiReceiver>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HttpReceiver {
    timeout: Option<String>,
    /// Of PagerDuty and incident.io. Another check requires the URL of a webhook.
    url: Option<String>,
    /// Of Slack.
    app_url: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pushover {
    retry: Option<String>,
    expire: Option<String>,
    ttl: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApiReceiver {
    api_url: Option<String>,
    /// Of Jira.
    api_type: Option<String>,
}

/// Rejects values in a notation that Alertmanager cannot parse.
pub(super) fn check(text: &str) -> Result<(), ConfigError> {
    // A text that cannot be parsed was rejected before.
    let document: Document = from_text(text).unwrap_or_default();
    check_route(&document.route)?;
    document.receivers.iter().try_for_each(check_receiver)
}

fn is_empty(value: Option<&String>) -> bool {
    value.is_some_and(String::is_empty)
}

fn check_route(route: &Route) -> Result<(), ConfigError> {
    route.routes.iter().try_for_each(check_route)?;
    let spans = [&route.group_wait, &route.group_interval, &route.repeat_interval];
    refuse(spans.into_iter().any(|span| is_empty(span.as_ref())), "empty duration string")
}

fn check_receiver(receiver: &Receiver) -> Result<(), ConfigError> {
    let with_timeout = [
        &receiver.webhook_configs,
        &receiver.pagerduty_configs,
        &receiver.slack_configs,
        &receiver.incidentio_configs,
    ];
    for config in with_timeout.into_iter().flatten() {
        let has_no_url = is_empty(config.url.as_ref()) || is_empty(config.app_url.as_ref());
        refuse(has_no_url, "unsupported scheme \"\" for URL")?;
        if let Some(timeout) = config.timeout.as_ref().filter(|timeout| go::parse(timeout).is_err()) {
            return Err(ConfigError::new(format!("cannot unmarshal !!str `{timeout}` into time.Duration")));
        }
    }
    let pushover = receiver.pushover_configs.iter();
    let mut spans = pushover.flat_map(|config| [&config.retry, &config.expire, &config.ttl]).flatten();
    if let Some(invalid) = spans.find_map(|span| go::parse(span).err()) {
        return Err(ConfigError::new(invalid.to_string()));
    }
    let with_url = [
        &receiver.opsgenie_configs,
        &receiver.wechat_configs,
        &receiver.victorops_configs,
        &receiver.telegram_configs,
        &receiver.webex_configs,
        &receiver.jira_configs,
        &receiver.rocketchat_configs,
    ];
    for config in with_url.into_iter().flatten() {
        refuse(is_empty(config.api_url.as_ref()), "unsupported scheme \"\" for URL")?;
        refuse(
            is_empty(config.api_type.as_ref()),
            "unknown api_type on jira_config, must be auto, cloud or datacenter",
        )?;
    }
    Ok(())
}
