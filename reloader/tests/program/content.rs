//! The content of the output file, and the times of reloads.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use mainstay_reloader::clock::wait_for;
use mainstay_reloader::content::Digest;
use serde_json::{Value, json};

use crate::LIMIT;
use crate::program::{Program, metric, page, run};
use crate::prometheus::FakePrometheus;
use crate::volume::{Volume, gzip};

const CONFIG: &str = "prometheus.yaml.gz";

/// A pod: a volume with the configuration, one with rules, and a Prometheus.
struct Pod {
    directory: tempfile::TempDir,
    config: Volume,
    rules: Volume,
    prometheus: FakePrometheus,
}

impl Pod {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut config = Volume::new(directory.path().join("config"));
        let mut rules = Volume::new(directory.path().join("rules"));
        config.swap(&[(CONFIG, &gzip(&text(0), 6))]);
        rules.swap(&[("rules.yaml", b"groups: []")]);
        let prometheus = FakePrometheus::start(directory.path().join("out.yaml"));
        Self { directory, config, rules, prometheus }
    }

    fn out(&self) -> PathBuf {
        self.directory.path().join("out.yaml")
    }

    /// The flags of the operator, and some more.
    fn flags(&self, more: &[&str]) -> Vec<String> {
        let mut flags = vec![
            "--listen-address=127.0.0.1:0".to_owned(),
            format!("--reload-url={}", self.prometheus.url("/-/reload")),
            format!("--config-file={}", self.config.file(CONFIG).display()),
            format!("--config-envsubst-file={}", self.out().display()),
            format!("--watched-dir={}", self.rules.path().display()),
            format!("--watched-dir={}", self.config.path().display()),
        ];
        flags.extend(more.iter().map(ToString::to_string));
        flags
    }
}

fn text(number: u32) -> String {
    format!("# {number}\nreplica: $(POD_NAME)\nshard: $(SHARD) of $(ABSENT)\n").repeat(200)
}

fn expanded(number: u32) -> String {
    text(number).replace("$(POD_NAME)", "prometheus-main-2").replace("$(SHARD)", "7")
}

/// Waits until the program has made this number of passes.
fn wait_for_passes(address: &str, number: u64) {
    let name = "reloader_config_apply_operations_total";
    let pause = Duration::from_millis(5);
    wait_for(LIMIT, pause, || (metric(address, name) >= number).then_some(())).expect("a pass");
}

#[test]
fn only_changes_cause_reloads_and_at_once() {
    let mut pod = Pod::new();
    let program = Program::start(&pod.flags(&["--delay-interval=0", "--watch-interval=1h"]));
    let address = program.address();
    assert_eq!(pod.prometheus.next(), expanded(0));
    for number in 1..4 {
        pod.config.swap(&[(CONFIG, &gzip(&text(number), 6))]);
        assert_eq!(pod.prometheus.next(), expanded(number));
    }
    pod.rules.swap(&[("rules.yaml", b"groups: [{}]")]);
    assert_eq!(pod.prometheus.next(), expanded(3));

    let before = fs::metadata(pod.out()).unwrap();
    let passed = metric(&address, "reloader_config_apply_operations_total");
    let (first, second) = halves();
    let members = [gzip(&first, 1), gzip(&second, 9)].concat();
    pod.config.swap(&[(CONFIG, &members)]);
    wait_for_passes(&address, passed + 1);
    pod.rules.swap(&[("rules.yaml", b"groups: [{}]")]);
    wait_for_passes(&address, passed + 2);
    let after = fs::metadata(pod.out()).unwrap();
    assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()), "unchanged");
    // A reload for the changes above would be received before this one.
    pod.config.swap(&[(CONFIG, &gzip(&text(4), 6))]);
    assert_eq!(pod.prometheus.next(), expanded(4));
    assert_eq!(pod.prometheus.remaining(), 0);
    assert_eq!(metric(&address, "mainstay_reloader_writes_total"), 5);
    assert_eq!(metric(&address, "reloader_config_environment_variable_expansion_errors"), 200);
}

/// The third text in two parts.
fn halves() -> (String, String) {
    let text = text(3);
    let (first, second) = text.split_at(text.len() / 3);
    (first.into(), second.into())
}

#[test]
fn the_first_change_does_not_wait_for_the_delay_and_the_last_one_is_not_lost() {
    let mut pod = Pod::new();
    let _program = Program::start(&pod.flags(&["--delay-interval=700ms", "--watch-interval=1h"]));
    assert_eq!(pod.prometheus.next(), expanded(0));
    for number in 1..20 {
        pod.config.swap(&[(CONFIG, &gzip(&text(number), 6))]);
    }
    let loads = wait_for(LIMIT, Duration::ZERO, || (pod.prometheus.next() == expanded(19)).then_some(()));
    assert!(loads.is_some());
    assert_eq!(pod.prometheus.remaining(), 0);
}

#[test]
fn a_rejected_reload_is_retried_and_its_error_text_is_only_in_the_log() {
    let mut pod = Pod::new();
    let program =
        Program::start(&pod.flags(&["--retry-interval=20ms", "--delay-interval=0", "--watch-interval=1h"]));
    let address = program.address();
    pod.prometheus.next();
    program.line("reload triggered");
    pod.prometheus.reject(true);
    pod.config.swap(&[(CONFIG, &gzip(&text(1), 6))]);
    let line = program.line("a reload failed and will be retried");
    let error = "the reload was answered 500 Internal Server Error: line 3: cannot unmarshal \"…\"";
    assert_eq!(line["err"], error);
    program.line("a reload failed and will be retried");
    let status: Value = serde_json::from_str(&page(&address, "/status")).unwrap();
    assert_eq!(status["configHash"], Digest::of(text(0).as_bytes()).to_string());
    assert_eq!(status["seenConfigHash"], Digest::of(text(1).as_bytes()).to_string());
    assert_eq!(status["lastReloadSuccessful"], false);
    assert_eq!(status["lastErrorReason"], "rejected");
    assert_eq!(
        status["lastError"],
        "the reload was answered 500 (line 3); the log of the reloader says more"
    );
    assert!(
        page(&address, "/metrics").contains("mainstay_reloader_last_error_info{reason=\"rejected\"} 1\n")
    );

    pod.prometheus.reject(false);
    program.line("reload triggered");
    let status: Value = serde_json::from_str(&page(&address, "/status")).unwrap();
    assert_eq!(status["configHash"], Digest::of(text(1).as_bytes()).to_string());
    assert_eq!(status["lastError"], json!(null));
    assert_eq!(metric(&address, "reloader_last_reload_successful"), 1);
    assert!(metric(&address, "reloader_reloads_failed_total") >= 2);
    let loaded =
        format!("mainstay_reloader_loaded_config_info{{hash=\"{}\"}} 1\n", Digest::of(text(1).as_bytes()));
    assert!(page(&address, "/metrics").contains(&loaded));
}

#[test]
fn a_modified_output_is_written_again_in_the_next_pass() {
    let pod = Pod::new();
    let _program = Program::start(&pod.flags(&["--watch-interval=50ms", "--delay-interval=0"]));
    assert_eq!(pod.prometheus.next(), expanded(0));
    fs::write(pod.out(), "nonsense").unwrap();
    assert_eq!(pod.prometheus.next(), expanded(0));
}

#[test]
fn a_truncated_configuration_is_reported_and_changes_nothing() {
    let mut pod = Pod::new();
    let program =
        Program::start(&pod.flags(&["--retry-interval=1h", "--delay-interval=0", "--watch-interval=1h"]));
    let address = program.address();
    pod.prometheus.next();
    let bytes = gzip(&text(1), 6);
    pod.config.swap(&[(CONFIG, &bytes[..bytes.len() / 2])]);
    program.line("a pass failed and will be retried");
    assert_eq!(fs::read_to_string(pod.out()).unwrap(), expanded(0));
    assert_eq!(metric(&address, "reloader_config_apply_operations_failed_total"), 1);
    pod.config.swap(&[(CONFIG, &bytes)]);
    assert_eq!(pod.prometheus.next(), expanded(1));
}

#[test]
fn with_a_watch_interval_of_zero_it_expands_once_and_exits() {
    let pod = Pod::new();
    let (status, log) = run(&pod.flags(&["--watch-interval=0"]));
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(fs::read_to_string(pod.out()).unwrap(), expanded(0));
    assert_eq!(pod.prometheus.remaining(), 0);
    assert!(log.contains("\"variable\":\"ABSENT\""), "{log}");
    fs::remove_dir_all(pod.config.path()).unwrap();
    assert_eq!(run(&pod.flags(&["--watch-interval=0"])).0.code(), Some(1));
}

#[test]
fn a_configuration_file_is_optional() {
    let mut pod = Pod::new();
    let flags = [
        format!("--reload-url={}", pod.prometheus.url("/-/reload")),
        format!("--watched-dir={}", pod.rules.path().display()),
    ];
    let _program = Program::start(&flags);
    pod.prometheus.next();
    pod.rules.swap(&[("rules.yaml", b"groups: []"), ("more.yaml", b"groups: []")]);
    pod.prometheus.next();
}

#[test]
fn the_exit_code_for_an_invalid_command_line_is_two() {
    assert_eq!(run(&["--no-such-flag".to_owned()]).0.code(), Some(2));
    let pod = Pod::new();
    assert_eq!(run(&pod.flags(&["--web-config-file=/no/such/file"])).0.code(), Some(2));
}

#[test]
fn the_exit_code_after_a_signal_is_zero() {
    let pod = Pod::new();
    let program = Program::start(&pod.flags(&[]));
    program.line("reload triggered");
    rustix::process::kill_process(program.process(), rustix::process::Signal::TERM).unwrap();
    assert_eq!(program.wait().code(), Some(0));
}
