//! The page `/metrics`: a report and figures in, text in the format of Prometheus out. Pure.
//! Names and types are those of the peer. Additional metrics start with `mainstay_reloader_`.

use std::fmt::{Display, Write as _};

use crate::log::json;
use crate::process::Figures;
use crate::report::Report;

/// The content type of the page.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Appends metrics to a text.
#[derive(Default)]
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "counter", help);
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        let _ = writeln!(self.0, "{name} {value}");
    }

    /// A gauge that is always 1, with information in its labels.
    fn info(&mut self, name: &str, help: &str, labels: &[(&str, &str)]) {
        self.family(name, "gauge", help);
        // The values contain no characters for which the quoting of JSON and of Prometheus differ.
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}={}", json(value))).collect();
        let _ = writeln!(self.0, "{name}{{{}}} 1", labels.join(","));
    }
}

/// All metrics, as text. `method` is how the server is reloaded.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit into a float")]
pub fn text(report: &Report, figures: &Figures, method: &str) -> String {
    let mut text = Text::default();
    let success = report.last_success.map_or(0.0, |time| time.as_millisecond() as f64 / 1000.0);
    let successful = u8::from(report.last_reload_successful == Some(true));
    text.counter("reloader_reloads_total", "Number of reloads.", report.reloads);
    text.counter("reloader_reloads_failed_total", "Number of reloads that failed.", report.reloads_failed);
    text.gauge("reloader_last_reload_successful", "Whether the last reload succeeded.", successful);
    text.gauge(
        "reloader_last_reload_success_timestamp_seconds",
        "Time of the last successful reload.",
        success,
    );
    text.counter("reloader_config_apply_operations_total", "Number of passes over the files.", report.passes);
    text.counter(
        "reloader_config_apply_operations_failed_total",
        "Number of passes over the files that failed.",
        report.passes_failed,
    );
    text.gauge(
        "reloader_config_environment_variable_expansion_errors",
        "Number of references to variables that are not set, in the last pass.",
        report.unset_variables,
    );
    text.info("reloader_info", "How the server is reloaded.", &[("method", method)]);
    text.gauge("reloader_watches", "Number of watched directories.", report.watches);
    text.counter("reloader_watch_events_total", "Number of inotify events.", report.watch_events);
    text.counter("reloader_watch_errors_total", "Number of inotify errors.", report.watch_errors);
    write_build(&mut text);
    write_additional(&mut text, report);
    write_process(&mut text, figures);
    text.0
}

fn write_build(text: &mut Text) {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let labels = [
        ("goarch", architecture),
        ("goos", std::env::consts::OS),
        ("implementation", "mainstay-reloader"),
        ("version", crate::VERSION),
    ];
    text.info("prometheus_config_reloader_build_info", "Version and platform of the program.", &labels);
}

fn write_additional(text: &mut Text, report: &Report) {
    text.counter(
        "mainstay_reloader_writes_total",
        "Number of times that the output file was written.",
        report.writes,
    );
    let hash = |digest: Option<crate::content::Digest>| digest.map(|digest| digest.to_string());
    if let Some(hash) = report.loaded.and_then(|loaded| hash(loaded.config)) {
        let help = "SHA-256 of the loaded configuration, decompressed and before expansion.";
        text.info("mainstay_reloader_loaded_config_info", help, &[("hash", &hash)]);
    }
    if let Some(hash) = report.loaded.and_then(|loaded| hash(loaded.watched)) {
        let help = "Hash of the watched directories at the last successful reload.";
        text.info("mainstay_reloader_loaded_watched_info", help, &[("hash", &hash)]);
    }
    if let Some(failure) = &report.failure {
        let help = "Reason of the current error; /status has the message.";
        text.info("mainstay_reloader_last_error_info", help, &[("reason", failure.reason.name())]);
    }
}

fn write_process(text: &mut Text, figures: &Figures) {
    if let Some(value) = figures.cpu_seconds {
        text.counter("process_cpu_seconds_total", "Total user and system CPU time in seconds.", value);
    }
    let gauges = [
        ("process_resident_memory_bytes", "Resident memory in bytes.", figures.resident_bytes),
        ("process_virtual_memory_bytes", "Virtual memory in bytes.", figures.virtual_bytes),
        ("process_virtual_memory_max_bytes", "Maximum virtual memory in bytes.", figures.virtual_limit),
        ("process_open_fds", "Number of open file descriptors.", figures.open_files),
        ("process_max_fds", "Maximum number of open file descriptors.", figures.file_limit),
    ];
    for (name, help, value) in gauges {
        if let Some(value) = value {
            text.gauge(name, help, value);
        }
    }
    if let Some(value) = figures.started {
        text.gauge("process_start_time_seconds", "Start time of the process in seconds since 1970.", value);
    }
}

#[cfg(test)]
mod tests;
