//! The few metrics of a config reloader that matter, read from a page in the text format of Prometheus.

use k8s_openapi::jiff::Timestamp;

use crate::loaded::answer::{ReloadCounters, ReloaderStatus};

/// What the page of a reloader reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What only our reloader reports.
    pub status: ReloaderStatus,
    /// What both reloaders count.
    pub counters: ReloadCounters,
}

/// One sample of a page.
#[derive(Debug, PartialEq)]
struct Sample<'t> {
    name: &'t str,
    /// All labels, as they are written between the braces.
    labels: &'t str,
    value: f64,
}

impl Page {
    /// Reads a page; nothing, if it is not the page of a reloader.
    pub fn read(text: &str) -> Option<Self> {
        let mut page = Self::default();
        let mut is_of_a_reloader = false;
        for sample in text.lines().filter_map(Sample::read) {
            match sample.name {
                "reloader_last_reload_successful" => {
                    is_of_a_reloader = true;
                    page.counters.successful = sample.value > 0.0;
                }
                "reloader_last_reload_success_timestamp_seconds" => {
                    page.counters.last_success = moment(sample.value);
                }
                "reloader_reloads_total" => page.counters.reloads = count(sample.value),
                "reloader_reloads_failed_total" => page.counters.failed = count(sample.value),
                "mainstay_reloader_loaded_config_info" => page.status.config_hash = sample.label("hash"),
                "mainstay_reloader_loaded_watched_info" => page.status.watched_hash = sample.label("hash"),
                "mainstay_reloader_last_error_info" => page.status.last_error_reason = sample.label("reason"),
                _ => {}
            }
        }
        is_of_a_reloader.then_some(page)
    }
}

impl<'t> Sample<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let line = line.trim_start();
        if line.starts_with('#') {
            return None;
        }
        let (name, rest) = line.split_at(line.find(['{', ' ', '\t'])?);
        // The text of a label may contain braces, a value does not.
        let (labels, value) = match rest.strip_prefix('{') {
            Some(rest) => rest.rsplit_once('}')?,
            None => ("", rest),
        };
        Some(Self { name, labels, value: value.split_whitespace().next()?.parse().ok()? })
    }

    /// The text of a label, as it is written.
    fn label(&self, name: &str) -> Option<String> {
        let mut rest = self.labels;
        while let Some((label, after)) = rest.split_once("=\"") {
            let end = end_of_text(after)?;
            if label.trim_start_matches(',').trim() == name {
                return Some(after[..end].to_owned());
            }
            rest = &after[end + 1..];
        }
        None
    }
}

/// Where the quotation mark is that ends a text.
fn end_of_text(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a float saturates, and what is out of range is refused")]
fn moment(seconds: f64) -> Option<Timestamp> {
    if seconds <= 0.0 {
        return None;
    }
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
fn count(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use mainstay_reloader::content::{Digest, Fingerprint};
    use mainstay_reloader::process::Figures;
    use mainstay_reloader::report::{Failure, Reason, Report};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_page_of_the_peer_is_read() {
        let text = "# HELP go_info Information about the Go environment.\n# TYPE go_info gauge\n\
                    go_info{version=\"go1.26.8\"} 1\n\
                    prometheus_config_reloader_build_info{branch=\"\",tags=\"a{b}\\\"c,\"} 1\n\
                    reloader_last_reload_success_timestamp_seconds 1.763306754121e+09\n\
                    reloader_last_reload_successful 1\nreloader_reloads_failed_total 2\nreloader_reloads_total 5\n";
        let counters = ReloadCounters {
            successful: true,
            last_success: Some("2025-11-16T15:25:54.121Z".parse().unwrap()),
            reloads: 5,
            failed: 2,
        };
        assert_eq!(Page::read(text), Some(Page { counters, ..Page::default() }));
    }

    #[test]
    fn the_page_of_ours_is_read() {
        let fingerprint =
            Fingerprint { config: Some(Digest::of(b"config")), watched: Some(Digest::of(b"rules")) };
        let report = Report {
            reloads: 3,
            reloads_failed: 1,
            last_reload_successful: Some(false),
            last_success: Some("2026-01-01T00:00:00.25Z".parse().unwrap()),
            loaded: Some(fingerprint),
            failure: Some(Failure { reason: Reason::Rejected, message: "not on this page".into() }),
            ..Report::default()
        };
        let status = ReloaderStatus {
            config_hash: Some(Digest::of(b"config").to_string()),
            watched_hash: Some(Digest::of(b"rules").to_string()),
            last_error_reason: Some("rejected".into()),
            ..ReloaderStatus::default()
        };
        let counters =
            ReloadCounters { successful: false, last_success: report.last_success, reloads: 3, failed: 1 };
        let text = mainstay_reloader::metrics::text(&report, &Figures::default(), "http");
        assert_eq!(Page::read(&text), Some(Page { status, counters }));
    }

    #[test]
    fn before_the_first_reload_there_is_no_time() {
        let text = "reloader_last_reload_successful 0\nreloader_last_reload_success_timestamp_seconds 0\n";
        assert_eq!(Page::read(text), Some(Page::default()));
    }

    #[test]
    fn other_pages_are_not_read() {
        assert_eq!(Page::read("<html>reloader_last_reload_successful</html>"), None);
        assert_eq!(Page::read("up 1\nprometheus_config_last_reload_successful 1\n"), None);
    }

    #[test]
    fn labels_may_contain_delimiters() {
        let sample = Sample::read(r#"a{b="x}\"=\"y\\",c="z"} 1 1700000000"#).unwrap();
        assert_eq!(sample.value.to_bits(), 1.0_f64.to_bits());
        assert_eq!(sample.label("b"), Some(r#"x}\"=\"y\\"#.into()));
        assert_eq!(sample.label("c"), Some("z".into()));
        assert_eq!(sample.label("d"), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "(reloader_reloads_total|a)?[ {}\"\\\\=,a-z0-9#\n]{0,80}") {
            let _ = Page::read(&text);
            for line in text.lines() {
                if let Some(sample) = Sample::read(line) {
                    let _ = sample.label("a");
                }
            }
        }
    }
}
