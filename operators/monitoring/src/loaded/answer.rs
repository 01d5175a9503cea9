//! What the reloader of a pod reports about its configuration: ours reports hashes, the peer's counters and times.

use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;

use crate::loaded::exposition::Page;
use crate::loaded::offset::Offset;

/// The answer of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodAnswer {
    /// What it reports.
    pub answer: ReloaderAnswer,
    /// How far its clock is from ours, if the answer has a date.
    pub offset: Option<Offset>,
}

impl PodAnswer {
    /// No answer that can be used, and why.
    pub fn nothing(because: impl Into<String>) -> Self {
        Self { answer: ReloaderAnswer::Nothing(because.into()), offset: None }
    }
}

/// What a pod reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReloaderAnswer {
    /// Our reloader.
    Ours(ReloaderStatus),
    /// The peer's reloader.
    Peers(ReloadCounters),
    /// Nothing that can be used, and why.
    Nothing(String),
}

/// What our reloader reports under `/status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReloaderStatus {
    /// Hash of the configuration that is loaded.
    pub config_hash: Option<String>,
    /// Hash of the watched directories that are loaded.
    pub watched_hash: Option<String>,
    /// Hash of the configuration that is in the pod.
    pub seen_config_hash: Option<String>,
    /// Hash of the watched directories that are in the pod.
    pub seen_watched_hash: Option<String>,
    /// The reason of the current error, in one word.
    pub last_error_reason: Option<String>,
    /// The current error, without anything of the configuration.
    pub last_error: Option<String>,
}

/// What the peer's reloader counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReloadCounters {
    /// Whether the last reload succeeded; false, if there was none yet.
    pub successful: bool,
    /// When a reload last succeeded, by the clock of the pod.
    pub last_success: Option<Timestamp>,
    /// Reloads that were attempted.
    pub reloads: u64,
    /// Reloads that failed.
    pub failed: u64,
}

impl ReloaderAnswer {
    /// Reads a page of metrics. Ours reports more under `/status`.
    pub fn of_metrics(text: &str) -> Self {
        match Page::read(text) {
            None => Self::Nothing("the metrics are not those of a reloader".into()),
            Some(Page { status, .. }) if status.config_hash.is_some() || status.watched_hash.is_some() => {
                Self::Ours(status)
            }
            Some(Page { counters, .. }) => Self::Peers(counters),
        }
    }

    /// Reads the status of our reloader; none, if it is something else.
    pub fn of_status(text: &[u8]) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_slice(text).ok()?;
        value.as_object().filter(|object| object.contains_key("configHash"))?;
        serde_json::from_value(value).ok().map(Self::Ours)
    }
}

#[cfg(test)]
mod tests {
    use mainstay_reloader::content::{Digest, Fingerprint};
    use mainstay_reloader::report::{Failure, Reason, Report};

    use super::*;

    #[test]
    fn the_status_of_our_reloader_is_read() {
        let report = Report {
            seen: Fingerprint { config: Some(Digest::of(b"new")), watched: None },
            loaded: Some(Fingerprint {
                config: Some(Digest::of(b"old")),
                watched: Some(Digest::of(b"rules")),
            }),
            failure: Some(Failure { reason: Reason::Rejected, message: "words".into() }),
            ..Report::default()
        };
        let status = ReloaderStatus {
            config_hash: Some(Digest::of(b"old").to_string()),
            watched_hash: Some(Digest::of(b"rules").to_string()),
            seen_config_hash: Some(Digest::of(b"new").to_string()),
            seen_watched_hash: None,
            last_error_reason: Some("rejected".into()),
            last_error: Some("words".into()),
        };
        let text = report.status().to_string();
        assert_eq!(ReloaderAnswer::of_status(text.as_bytes()), Some(ReloaderAnswer::Ours(status)));
        assert_eq!(ReloaderAnswer::of_status(br#"{"status":"up"}"#), None);
        assert_eq!(ReloaderAnswer::of_status(b"404 page not found\n"), None);
    }

    #[test]
    fn metrics_distinguish_the_reloaders() {
        let text = "reloader_last_reload_successful 1\nreloader_reloads_total 2\n";
        let counters = ReloadCounters { successful: true, reloads: 2, ..ReloadCounters::default() };
        assert_eq!(ReloaderAnswer::of_metrics(text), ReloaderAnswer::Peers(counters));
        let ours = format!("{text}mainstay_reloader_loaded_config_info{{hash=\"abc\"}} 1\n");
        let status = ReloaderStatus { config_hash: Some("abc".into()), ..ReloaderStatus::default() };
        assert_eq!(ReloaderAnswer::of_metrics(&ours), ReloaderAnswer::Ours(status));
        assert_eq!(
            ReloaderAnswer::of_metrics("up 1\n"),
            ReloaderAnswer::Nothing("the metrics are not those of a reloader".into())
        );
    }
}
