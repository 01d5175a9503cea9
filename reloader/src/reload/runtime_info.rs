//! The runtime information of Prometheus, and what it says about a reload. Pure, except for the request.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use super::Error;
use crate::client::{self, Answer};
use crate::url::Url;

/// When a configuration was last loaded, and whether the last attempt succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuntimeInfo {
    reload_config_success: bool,
    last_config_time: Timestamp,
}

#[derive(Deserialize)]
struct Envelope {
    status: String,
    data: RuntimeInfo,
}

/// The state of a reload, from the responses before and after the signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReloadState {
    /// The configuration is loaded.
    Loaded,
    /// The configuration was rejected.
    Refused,
    /// The response does not show it yet.
    Unknown,
}

impl RuntimeInfo {
    /// Requests the runtime information.
    pub(super) fn get(url: &Url, limit: Duration) -> Result<Self, Error> {
        let answer = client::send("GET", url, limit).map_err(Error::Ask)?;
        Self::parse(&answer)
    }

    fn parse(answer: &Answer) -> Result<Self, Error> {
        if !(200..300).contains(&answer.status) {
            return Err(Error::Info(format!("the status code is {}", answer.status)));
        }
        // Only the position of the error is shown, because the response can contain anything.
        let envelope: Envelope = serde_json::from_slice(&answer.body)
            .map_err(|error| Error::Info(format!("unexpected content at column {}", error.column())))?;
        if envelope.status == "success" {
            Ok(envelope.data)
        } else {
            Err(Error::Info("the status in the response is not success".into()))
        }
    }

    /// Whether the last attempt failed.
    pub(super) fn failed(self) -> bool {
        !self.reload_config_success
    }

    /// Whether a reload from `now` on will show a later time. Prometheus reports whole seconds: two reloads within the
    /// same second cannot be distinguished.
    pub(super) fn second_is_over(self, now: Timestamp) -> bool {
        now.as_second() > self.last_config_time.as_second()
    }

    /// Compares the response after a signal with the one before it.
    pub(super) fn since(self, before: Self) -> ReloadState {
        if self.reload_config_success && self.last_config_time > before.last_config_time {
            ReloadState::Loaded
        } else if before.reload_config_success && !self.reload_config_success {
            ReloadState::Refused
        } else {
            ReloadState::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(success: bool, second: i64) -> RuntimeInfo {
        RuntimeInfo {
            reload_config_success: success,
            last_config_time: Timestamp::from_second(second).unwrap(),
        }
    }

    fn read(status: u16, body: &str) -> Result<RuntimeInfo, String> {
        let answer = Answer { status, phrase: String::new(), body: body.into() };
        RuntimeInfo::parse(&answer).map_err(|error| error.to_string())
    }

    #[test]
    fn the_answer_of_prometheus_is_parsed() {
        let body = r#"{"status":"success","data":{"startTime":"2026-01-01T00:00:00Z","CWD":"/","reloadConfigSuccess":true,
            "lastConfigTime":"1970-01-01T01:00:07+01:00","storageRetention":"15d"}}"#;
        assert_eq!(read(200, body), Ok(info(true, 7)));
        assert_eq!(read(503, body), Err("cannot use the runtime information: the status code is 503".into()));
        let failed = body.replace("success\"", "error\"");
        let error = "cannot use the runtime information: the status in the response is not success";
        assert_eq!(read(200, &failed), Err(error.into()));
        assert!(read(200, "<html>").is_err());
    }

    #[test]
    fn a_reload_succeeded_if_a_later_time_is_shown() {
        assert_eq!(info(true, 8).since(info(true, 7)), ReloadState::Loaded);
        assert_eq!(info(true, 8).since(info(false, 7)), ReloadState::Loaded);
        assert_eq!(info(true, 7).since(info(true, 7)), ReloadState::Unknown);
        assert_eq!(info(false, 7).since(info(true, 7)), ReloadState::Refused);
        assert_eq!(info(false, 7).since(info(false, 7)), ReloadState::Unknown);
    }

    #[test]
    fn a_reload_in_the_same_second_cannot_be_distinguished() {
        let over =
            |milliseconds| info(true, 7).second_is_over(Timestamp::from_millisecond(milliseconds).unwrap());
        assert_eq!([6_999, 7_000, 7_999, 8_000].map(over), [false, false, false, true]);
    }
}
