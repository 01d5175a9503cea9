use jiff::Timestamp;

use super::*;
use crate::content::{Digest, Fingerprint};
use crate::report::{Failure, Reason};

/// The samples, without help and types.
fn samples(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn every_metric_of_the_peer_exists_from_the_start() {
    let text = text(&Report::default(), &Figures::default(), "http");
    let build = format!(
        "prometheus_config_reloader_build_info{{goarch=\"{}\",goos=\"linux\",implementation=\"mainstay-reloader\",version=\"{}\"}} 1",
        if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" },
        crate::VERSION
    );
    assert_eq!(
        samples(&text),
        [
            "reloader_reloads_total 0",
            "reloader_reloads_failed_total 0",
            "reloader_last_reload_successful 0",
            "reloader_last_reload_success_timestamp_seconds 0",
            "reloader_config_apply_operations_total 0",
            "reloader_config_apply_operations_failed_total 0",
            "reloader_config_environment_variable_expansion_errors 0",
            "reloader_info{method=\"http\"} 1",
            "reloader_watches 0",
            "reloader_watch_events_total 0",
            "reloader_watch_errors_total 0",
            &build,
            "mainstay_reloader_writes_total 0",
        ]
    );
}

#[test]
fn every_family_has_its_help_and_type() {
    let text = text(&Report::default(), &Figures::default(), "http");
    let begin = "# HELP reloader_reloads_total Number of reloads.\n\
                 # TYPE reloader_reloads_total counter\n\
                 reloader_reloads_total 0\n\
                 # HELP reloader_reloads_failed_total Number of reloads that failed.\n";
    assert!(text.starts_with(begin), "{text}");
    let descriptions = text.lines().filter(|line| line.starts_with("# TYPE ")).count();
    assert_eq!(descriptions, samples(&text).len());
}

#[test]
fn a_report_and_figures_are_rendered() {
    let report = Report {
        reloads: 3,
        reloads_failed: 2,
        writes: 1,
        last_reload_successful: Some(true),
        last_success: Some(Timestamp::from_millisecond(1_500).unwrap()),
        loaded: Some(Fingerprint { config: Some(Digest::of(b"abc")), watched: Some(Digest::of(b"")) }),
        failure: Some(Failure { reason: Reason::Timeout, message: "too slow".into() }),
        ..Report::default()
    };
    let figures = Figures {
        cpu_seconds: Some(0.25),
        resident_bytes: Some(4096),
        virtual_limit: Some(u64::MAX),
        started: Some(1000.5),
        ..Figures::default()
    };
    let text = text(&report, &figures, "signal");
    for sample in [
        "reloader_reloads_total 3",
        "reloader_reloads_failed_total 2",
        "reloader_last_reload_successful 1",
        "reloader_last_reload_success_timestamp_seconds 1.5",
        "reloader_info{method=\"signal\"} 1",
        "mainstay_reloader_writes_total 1",
        "mainstay_reloader_loaded_config_info{hash=\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"} 1",
        "mainstay_reloader_loaded_watched_info{hash=\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"} 1",
        "mainstay_reloader_last_error_info{reason=\"timeout\"} 1",
        "process_cpu_seconds_total 0.25",
        "process_resident_memory_bytes 4096",
        "process_virtual_memory_max_bytes 18446744073709551615",
        "process_start_time_seconds 1000.5",
    ] {
        assert!(samples(&text).contains(&sample), "{sample} is not in {text}");
    }
}
