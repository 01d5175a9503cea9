//! Converts an AlertmanagerConfig to the types of the Alertmanager configuration file.
//!
//! | file | owns |
//! |---|---|
//! | `route` | routes, inhibition rules and their matchers |
//! | [`time`] | time intervals |
//! | `http` | credentials, TLS and proxies |
//! | `receiver` | receivers |

mod http;
mod receiver;
mod route;
pub mod time;

use std::fmt::Display;

use api_monitoring::AlertmanagerConfig;
use formats::alertmanager::Config;
use formats::alertmanager::duration::Duration;
use formats::alertmanager::global::Global;
use formats::alertmanager::secret::Secret;
use formats::version::Version;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_assets::Reader;
use monitoring_select::Problem;
use monitoring_select::problem::Within as _;

pub use http::check_references;
pub(crate) use route::NAMESPACE;

/// Converts one resource.
#[derive(Debug, Clone, Copy)]
pub struct Convert<'c> {
    /// Reads Secrets and ConfigMaps in the namespace of the resource.
    pub reader: &'c Reader<'c>,
    /// The version of Alertmanager that reads the configuration.
    pub version: &'c Version,
    /// The name of the resource.
    pub name: &'c str,
    /// The global settings, which receivers fall back to.
    pub global: Option<&'c Global>,
}

impl Convert<'_> {
    /// Converts a whole resource. Names of receivers and time intervals get the namespace and the name of the resource as
    /// a prefix, so that they are unique in the configuration.
    pub fn config(&self, resource: &AlertmanagerConfig) -> Result<Config, Problem> {
        let spec = &resource.spec;
        let receivers = spec.receivers.iter().map(|receiver| self.receiver(receiver));
        let intervals = spec.mute_time_intervals.iter().map(|interval| self.time_interval(interval));
        Ok(Config {
            inhibit_rules: spec.inhibit_rules.iter().map(|rule| self.inhibit_rule(rule)).collect(),
            route: spec.route.as_ref().map(|route| self.route(route)).transpose()?,
            receivers: receivers.collect::<Result<_, _>>()?,
            mute_time_intervals: intervals.collect::<Result<_, _>>()?,
            ..Config::default()
        })
    }

    /// A name with the prefix of the resource. An empty name stays empty.
    fn unique(&self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        format!("{}/{}/{name}", self.reader.namespace(), self.name)
    }

    /// The value of a key of a Secret. An error says what it is needed for.
    fn secret(&self, what: &str, selector: &SecretKeySelector) -> Result<Secret, Problem> {
        self.plain_secret(selector).within(format_args!("failed to get {what}"))
    }

    /// The same for an optional selector.
    fn secret_if_any(&self, what: &str, selector: Option<&SecretKeySelector>) -> Result<Secret, Problem> {
        selector.map_or_else(|| Ok(Secret::default()), |selector| self.secret(what, selector))
    }

    /// The value of a key of a Secret.
    pub(crate) fn plain_secret(&self, selector: &SecretKeySelector) -> Result<Secret, Problem> {
        Ok(self.reader.secret(selector)?.into())
    }

    /// The same as text, for fields that cannot hold other bytes.
    pub(crate) fn secret_text(&self, selector: &SecretKeySelector) -> Result<String, Problem> {
        Ok(text(self.reader.secret(selector)?))
    }
}

/// Applies a function to all elements of a list; an error names the element.
pub fn each<R, T>(
    list: &str,
    elements: &[R],
    apply: impl Fn(&R) -> Result<T, Problem>,
) -> Result<Vec<T>, Problem> {
    let one = |(index, element)| apply(element).within(format_args!("{list}[{index}]"));
    elements.iter().enumerate().map(one).collect()
}

/// Text that another crate cannot read, in the words of that crate.
pub fn unreadable(error: impl Display) -> Problem {
    Problem::Text(error.to_string())
}

/// Bytes of a Secret as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A duration that may be missing or empty.
fn duration(text: Option<&str>) -> Result<Option<Duration>, Problem> {
    let text = text.filter(|text| !text.is_empty());
    text.map(Duration::parse).transpose().map_err(unreadable)
}
