//! What depends on how something was written. Some spans of time must be read in two ways: as Prometheus writes them,
//! because the file is written so, and as programs in Go do, because Alertmanager reads these fields so. And an empty text
//! between quotes is neither an address nor a span of time, where a field without a value is as if it were not there.

use go_syntax::duration::go;
use serde::Deserialize;

use crate::alertmanager::fit::{Refusal, refuse};
use crate::yaml::serde::from_text;

/// The words of these fields, as far as the document has them.
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
    webhook_configs: Vec<Asked>,
    pagerduty_configs: Vec<Asked>,
    slack_configs: Vec<Asked>,
    incidentio_configs: Vec<Asked>,
    pushover_configs: Vec<Pushover>,
    opsgenie_configs: Vec<Address>,
    wechat_configs: Vec<Address>,
    victorops_configs: Vec<Address>,
    telegram_configs: Vec<Address>,
    webex_configs: Vec<Address>,
    jira_configs: Vec<Address>,
    rocketchat_configs: Vec<Address>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    timeout: Option<String>,
    /// Of PagerDuty and incident.io; a webhook needs one anyway.
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
struct Address {
    api_url: Option<String>,
    /// Of Jira.
    api_type: Option<String>,
}

/// Refuses a text with words that Alertmanager cannot read.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    // What cannot be read was refused before.
    let document: Document = from_text(text).unwrap_or_default();
    check_route(&document.route)?;
    document.receivers.iter().try_for_each(check_receiver)
}

fn is_empty(words: Option<&String>) -> bool {
    words.is_some_and(String::is_empty)
}

fn check_route(route: &Route) -> Result<(), Refusal> {
    route.routes.iter().try_for_each(check_route)?;
    let spans = [&route.group_wait, &route.group_interval, &route.repeat_interval];
    refuse(spans.into_iter().any(|span| is_empty(span.as_ref())), "empty duration string")
}

fn check_receiver(receiver: &Receiver) -> Result<(), Refusal> {
    let with_timeout = [
        &receiver.webhook_configs,
        &receiver.pagerduty_configs,
        &receiver.slack_configs,
        &receiver.incidentio_configs,
    ];
    for config in with_timeout.into_iter().flatten() {
        let no_address = is_empty(config.url.as_ref()) || is_empty(config.app_url.as_ref());
        refuse(no_address, "unsupported scheme \"\" for URL")?;
        if let Some(words) = config.timeout.as_ref().filter(|words| go::parse(words).is_err()) {
            return Err(Refusal::new(format!("cannot unmarshal !!str `{words}` into time.Duration")));
        }
    }
    let pushover = receiver.pushover_configs.iter();
    let mut spans = pushover.flat_map(|config| [&config.retry, &config.expire, &config.ttl]).flatten();
    if let Some(invalid) = spans.find_map(|words| go::parse(words).err()) {
        return Err(Refusal::new(invalid.to_string()));
    }
    let with_address = [
        &receiver.opsgenie_configs,
        &receiver.wechat_configs,
        &receiver.victorops_configs,
        &receiver.telegram_configs,
        &receiver.webex_configs,
        &receiver.jira_configs,
        &receiver.rocketchat_configs,
    ];
    for config in with_address.into_iter().flatten() {
        refuse(is_empty(config.api_url.as_ref()), "unsupported scheme \"\" for URL")?;
        refuse(
            is_empty(config.api_type.as_ref()),
            "unknown api_type on jira_config, must be auto, cloud or datacenter",
        )?;
    }
    Ok(())
}
