//! From resources to the file: what an AlertmanagerConfig says, in the words of Alertmanager.
//!
//! | file | owns |
//! |---|---|
//! | `error` | why something cannot be written |
//! | `route`, `inhibit`, `matcher`, `time` | the parts of a resource |
//! | `http` | credentials, TLS and proxies |
//! | `receiver` | who is told, a file a kind |

mod error;
pub mod http;
mod inhibit;
mod matcher;
mod receiver;
mod route;
mod time;

use api_monitoring::AlertmanagerConfig;
use formats::alertmanager::Config;
use formats::alertmanager::duration::Duration;
use formats::alertmanager::global::Global;
use formats::alertmanager::secret::Secret;
use formats::version::Version;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_assets::Reader;

pub use error::Error;
pub(crate) use matcher::NAMESPACE;

/// What is known while one resource is converted.
#[derive(Debug, Clone, Copy)]
pub struct Convert<'c> {
    /// Reads Secrets and ConfigMaps of its namespace.
    pub reader: &'c Reader<'c>,
    /// The version of Alertmanager that will read the file.
    pub version: &'c Version,
    /// The name of the resource.
    pub name: &'c str,
    /// What receivers fall back to.
    pub global: Option<&'c Global>,
}

impl Convert<'_> {
    /// The whole resource: its routes, rules, receivers and times. Names are made unique by where they come from.
    pub fn config(&self, resource: &AlertmanagerConfig) -> Result<Config, Error> {
        let spec = &resource.spec;
        Ok(Config {
            inhibit_rules: spec.inhibit_rules.iter().map(|rule| self.inhibit_rule(rule)).collect(),
            route: spec.route.as_ref().map(|route| self.route(route)).transpose()?,
            receivers: spec
                .receivers
                .iter()
                .map(|receiver| self.receiver(receiver))
                .collect::<Result<_, _>>()?,
            mute_time_intervals: spec
                .mute_time_intervals
                .iter()
                .map(|interval| self.time_interval(interval))
                .collect::<Result<_, _>>()?,
            ..Config::default()
        })
    }

    /// A name that no other resource has; nothing stays nothing.
    fn unique(&self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        format!("{}/{}/{name}", self.reader.namespace(), self.name)
    }

    /// What a key of a Secret holds.
    fn secret(&self, what: &'static str, selector: &SecretKeySelector) -> Result<Secret, Error> {
        self.plain_secret(selector).map_err(|error| error.reading(what))
    }

    /// What a key of a Secret holds, if one is named.
    fn secret_if_any(
        &self,
        what: &'static str,
        selector: Option<&SecretKeySelector>,
    ) -> Result<Secret, Error> {
        selector.map_or_else(|| Ok(Secret::default()), |selector| self.secret(what, selector))
    }

    /// The same, where the error needs no more words.
    pub(crate) fn plain_secret(&self, selector: &SecretKeySelector) -> Result<Secret, Error> {
        Ok(self.reader.secret(selector)?.into())
    }

    /// The same, where only a text can stand.
    pub(crate) fn secret_text(&self, selector: &SecretKeySelector) -> Result<String, Error> {
        Ok(text(self.reader.secret(selector)?))
    }
}

/// Bytes of a Secret as a text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is said, or nothing.
fn or_empty<T: AsRef<str>>(text: Option<&T>) -> String {
    text.map(|text| text.as_ref().to_owned()).unwrap_or_default()
}

/// A span of time that may be left out or empty.
fn duration(text: Option<&str>) -> Result<Option<Duration>, Error> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| Duration::parse(text).map_err(Error::from)).transpose()
}
