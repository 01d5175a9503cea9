//! Reloads by a signal.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::lines::Lines;
use crate::program::{Program, page};
use crate::prometheus::FakePrometheus;

/// A shell that prints a line when it receives SIGHUP.
struct Listener {
    child: Child,
    lines: Lines,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Listener {
    /// Sets the name of the process after its signal handler: without a handler, the signal would end the process.
    #[expect(clippy::disallowed_methods, reason = "the process that gets the signal")]
    fn start(name: &str) -> Self {
        let script = format!(
            "sleep 60 >/dev/null 2>&1 & trap 'echo hangup' HUP; echo ready; printf %s {name} >/proc/$$/comm; \
             for signal in 1 2 3 4 5 6 7 8; do wait; done"
        );
        // If the parent process ignores the signal, a shell inherits that and cannot handle it.
        let mut child = Command::new("env")
            .args(["--default-signal=HUP", "/bin/sh", "-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = Lines::of(child.stdout.take().unwrap());
        assert_eq!(lines.next(), "ready");
        Self { child, lines }
    }
}

fn info(success: bool, second: u32) -> String {
    format!(
        r#"{{"status":"success","data":{{"reloadConfigSuccess":{success},"lastConfigTime":"2026-01-01T00:00:{second:02}Z"}}}}"#
    )
}

#[test]
fn a_process_is_found_by_its_name_and_the_reload_is_confirmed() {
    let directory = tempfile::tempdir().unwrap();
    // The kernel keeps fifteen characters of a name. The process ID makes the name unique.
    let name = format!("op{}erand", std::process::id());
    let listener = Listener::start(&name);
    let config = directory.path().join("config.yaml");
    fs::write(&config, "a: 1\n").unwrap();
    let prometheus = FakePrometheus::start(config.clone());
    prometheus.show(&info(true, 1));
    let program = Program::start(&[
        "--reload-method=signal".to_owned(),
        format!("--process-executable-name={name}"),
        format!("--runtimeinfo-url={}", prometheus.url("/api/v1/status/runtimeinfo")),
        format!("--config-file={}", config.display()),
        "--retry-interval=10ms".into(),
        "--delay-interval=0".into(),
    ]);
    assert_eq!(listener.lines.next(), "hangup");
    prometheus.show(&info(true, 2));
    program.line("reload triggered");

    fs::write(&config, "a: [\n").unwrap();
    assert_eq!(listener.lines.next(), "hangup");
    prometheus.show(&info(false, 2));
    let line = program.line("a reload failed and will be retried");
    assert_eq!(line["err"], "the configuration was not loaded: the log of the process says why");
    assert_eq!(listener.lines.next(), "hangup");
    prometheus.show(&info(true, 3));
    program.line("reload triggered");
}

/// A process, and a reloader for it that watches this file.
struct Pod {
    listener: Listener,
    prometheus: FakePrometheus,
    program: Program,
}

fn pod(name: &str, config: &Path, flags: &[&str]) -> Pod {
    let listener = Listener::start(name);
    fs::write(config, "a: [\n").unwrap();
    let prometheus = FakePrometheus::start(config.into());
    prometheus.show(&info(true, 1));
    let mut all = vec![
        "--reload-method=signal".to_owned(),
        format!("--process-executable-name={name}"),
        format!("--runtimeinfo-url={}", prometheus.url("/api/v1/status/runtimeinfo")),
        format!("--config-file={}", config.display()),
        "--listen-address=127.0.0.1:0".into(),
        "--retry-interval=10ms".into(),
        "--delay-interval=0".into(),
    ];
    all.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let program = Program::start(&all);
    Pod { listener, prometheus, program }
}

#[test]
fn a_fixed_file_is_reloaded_although_a_second_failure_is_not_reported() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    let name = format!("fi{}xed", std::process::id());
    let Pod { listener, prometheus, program } = pod(&name, &config, &[]);
    let address = program.address();
    assert_eq!(listener.lines.next(), "hangup");
    prometheus.show(&info(false, 1));
    program.line("a reload failed and will be retried");
    // The second attempt: the runtime information is the same as before.
    assert_eq!(listener.lines.next(), "hangup");
    fs::write(&config, "a: 1\n").unwrap();
    let line = program.line("a reload failed and will be retried");
    assert_eq!(line["err"], "a signal was sent, but the files changed before a reload was seen");
    assert_eq!(listener.lines.next(), "hangup");
    let status: Value = serde_json::from_str(&page(&address, "/status")).unwrap();
    assert_eq!(status["lastError"], Value::Null, "the changed file has not failed");
    assert_eq!(status["lastReloadSuccessful"], false);
    prometheus.show(&info(true, 2));
    program.line("reload triggered");
}

#[test]
fn a_repeated_failure_is_reported_after_the_timeout() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    let name = format!("re{}fused", std::process::id());
    let Pod { listener, prometheus, program } = pod(&name, &config, &["--reload-timeout=500ms"]);
    assert_eq!(listener.lines.next(), "hangup");
    prometheus.show(&info(false, 1));
    for _ in 0..2 {
        let line = program.line("a reload failed and will be retried");
        assert_eq!(line["err"], "the configuration was not loaded: the log of the process says why");
    }
    assert_eq!(listener.lines.next(), "hangup");
}

#[test]
fn a_missing_process_is_searched_again() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    fs::write(&config, "a: 1\n").unwrap();
    let name = format!("la{}ter", std::process::id());
    let program = Program::start(&[
        "--reload-method=signal".to_owned(),
        format!("--process-executable-name={name}"),
        "--runtimeinfo-url=".into(),
        format!("--config-file={}", config.display()),
        "--retry-interval=10ms".into(),
    ]);
    program.line("a reload failed and will be retried");
    let listener = Listener::start(&name);
    assert_eq!(listener.lines.next(), "hangup");
    program.line("reload triggered");
}
