//! What Prometheus says about the configuration it runs with, and what follows from that for a reload. Pure, but for
//! the question itself.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use super::Error;
use crate::client::{self, Answer};
use crate::url::Url;

/// When a configuration was loaded last, and whether the last attempt worked.
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

/// What the responses before and after a signal say about the reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReloadState {
    /// It is loaded.
    Loaded,
    /// It was rejected.
    Refused,
    /// It is not known yet.
    Open,
}

impl RuntimeInfo {
    /// Asks.
    pub(super) fn ask(url: &Url, limit: Duration) -> Result<Self, Error> {
        let answer = client::send("GET", url, limit).map_err(Error::Ask)?;
        Self::read(&answer)
    }

    fn read(answer: &Answer) -> Result<Self, Error> {
        if !(200..300).contains(&answer.status) {
            return Err(Error::Info(format!("answered {}", answer.status)));
        }
        // The error is reported, the response is not.
        let envelope: Envelope = serde_json::from_slice(&answer.body)
            .map_err(|error| Error::Info(format!("not what was expected at column {}", error.column())))?;
        if envelope.status == "success" {
            Ok(envelope.data)
        } else {
            Err(Error::Info("says that it failed".into()))
        }
    }

    /// Whether the last attempt failed.
    pub(super) fn failed(self) -> bool {
        !self.reload_config_success
    }

    /// Whether what is loaded from `now` on shows a later time. Prometheus reports whole seconds: two reloads that end in the
    /// same one look alike.
    pub(super) fn second_is_over(self, now: Timestamp) -> bool {
        now.as_second() > self.last_config_time.as_second()
    }

    /// Compares the view after a signal with that before it.
    pub(super) fn since(self, before: Self) -> ReloadState {
        if self.reload_config_success && self.last_config_time > before.last_config_time {
            ReloadState::Loaded
        } else if before.reload_config_success && !self.reload_config_success {
            ReloadState::Refused
        } else {
            ReloadState::Open
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
        RuntimeInfo::read(&answer).map_err(|error| error.to_string())
    }

    #[test]
    fn the_answer_of_prometheus_is_understood() {
        let body = r#"{"status":"success","data":{"startTime":"2026-01-01T00:00:00Z","CWD":"/","reloadConfigSuccess":true,
            "lastConfigTime":"1970-01-01T01:00:07+01:00","storageRetention":"15d"}}"#;
        assert_eq!(read(200, body), Ok(info(true, 7)));
        assert_eq!(read(503, body), Err("the runtime information: answered 503".into()));
        let failed = body.replace("success\"", "error\"");
        assert_eq!(read(200, &failed), Err("the runtime information: says that it failed".into()));
        assert!(read(200, "<html>").is_err());
    }

    #[test]
    fn a_reload_worked_when_a_later_one_is_shown() {
        assert_eq!(info(true, 8).since(info(true, 7)), ReloadState::Loaded);
        assert_eq!(info(true, 8).since(info(false, 7)), ReloadState::Loaded);
        assert_eq!(info(true, 7).since(info(true, 7)), ReloadState::Open);
        assert_eq!(info(false, 7).since(info(true, 7)), ReloadState::Refused);
        assert_eq!(info(false, 7).since(info(false, 7)), ReloadState::Open);
    }

    #[test]
    fn a_reload_in_the_same_second_cannot_be_told() {
        let over =
            |milliseconds| info(true, 7).second_is_over(Timestamp::from_millisecond(milliseconds).unwrap());
        assert_eq!([6_999, 7_000, 7_999, 8_000].map(over), [false, false, false, true]);
    }
}
