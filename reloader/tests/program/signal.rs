//! Reloads by a signal.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::lines::Lines;
use crate::neighbour::Neighbour;
use crate::program::{Program, page};

/// A shell that says when it gets the signal.
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
    /// It takes the name only once it listens: before that, the signal would end it.
    #[expect(clippy::disallowed_methods, reason = "the process that is told to reload")]
    fn start(name: &str) -> Self {
        let script = format!(
            "sleep 60 >/dev/null 2>&1 & trap 'echo hangup' HUP; echo ready; printf %s {name} >/proc/$$/comm; \
             for signal in 1 2 3 4 5 6 7 8; do wait; done"
        );
        // Whoever started us may have us ignore the signal, and a shell hears of none that it was born to ignore.
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
fn a_process_is_found_by_its_name_and_asked_whether_it_worked() {
    let directory = tempfile::tempdir().unwrap();
    // The kernel keeps fifteen letters of a name; the number makes it ours among other runs.
    let name = format!("op{}erand", std::process::id());
    let listener = Listener::start(&name);
    let config = directory.path().join("config.yaml");
    fs::write(&config, "a: 1\n").unwrap();
    let neighbour = Neighbour::start(config.clone());
    neighbour.show(&info(true, 1));
    let program = Program::start(&[
        "--reload-method=signal".to_owned(),
        format!("--process-executable-name={name}"),
        format!("--runtimeinfo-url={}", neighbour.url("/api/v1/status/runtimeinfo")),
        format!("--config-file={}", config.display()),
        "--retry-interval=10ms".into(),
        "--delay-interval=0".into(),
    ]);
    assert_eq!(listener.lines.next(), "hangup");
    neighbour.show(&info(true, 2));
    program.line("reload triggered");

    fs::write(&config, "a: [\n").unwrap();
    assert_eq!(listener.lines.next(), "hangup");
    neighbour.show(&info(false, 2));
    let line = program.line("a reload failed and will be tried again");
    assert_eq!(line["err"], "the configuration was not loaded: the log of the process says why");
    assert_eq!(listener.lines.next(), "hangup");
    neighbour.show(&info(true, 3));
    program.line("reload triggered");
}

/// A process, and a program beside it that watches this file.
fn watched(name: &str, config: &Path, flags: &[&str]) -> (Listener, Neighbour, Program) {
    let listener = Listener::start(name);
    fs::write(config, "a: [\n").unwrap();
    let neighbour = Neighbour::start(config.into());
    neighbour.show(&info(true, 1));
    let mut all = vec![
        "--reload-method=signal".to_owned(),
        format!("--process-executable-name={name}"),
        format!("--runtimeinfo-url={}", neighbour.url("/api/v1/status/runtimeinfo")),
        format!("--config-file={}", config.display()),
        "--listen-address=127.0.0.1:0".into(),
        "--retry-interval=10ms".into(),
        "--delay-interval=0".into(),
    ];
    all.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let program = Program::start(&all);
    (listener, neighbour, program)
}

#[test]
fn a_file_that_is_mended_is_seen_while_nothing_is_heard_of_a_second_failure() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    let (listener, neighbour, program) = watched(&format!("me{}nded", std::process::id()), &config, &[]);
    let address = program.address();
    assert_eq!(listener.lines.next(), "hangup");
    neighbour.show(&info(false, 1));
    program.line("a reload failed and will be tried again");
    // The second try: the process says what it said before.
    assert_eq!(listener.lines.next(), "hangup");
    fs::write(&config, "a: 1\n").unwrap();
    let line = program.line("a reload failed and will be tried again");
    assert_eq!(line["err"], "a signal was sent, and the files changed before a reload was seen");
    assert_eq!(listener.lines.next(), "hangup");
    let status: Value = serde_json::from_str(&page(&address, "/status")).unwrap();
    assert_eq!(status["lastError"], Value::Null, "what is new has not failed");
    assert_eq!(status["lastReloadSuccessful"], false);
    neighbour.show(&info(true, 2));
    program.line("reload triggered");
}

#[test]
fn what_fails_again_is_refused_again_before_long() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    let name = format!("re{}fused", std::process::id());
    let (listener, neighbour, program) = watched(&name, &config, &["--reload-timeout=500ms"]);
    assert_eq!(listener.lines.next(), "hangup");
    neighbour.show(&info(false, 1));
    for _ in 0..2 {
        let line = program.line("a reload failed and will be tried again");
        assert_eq!(line["err"], "the configuration was not loaded: the log of the process says why");
    }
    assert_eq!(listener.lines.next(), "hangup");
}

#[test]
fn a_process_that_is_not_there_is_looked_for_again() {
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
    program.line("a reload failed and will be tried again");
    let listener = Listener::start(&name);
    assert_eq!(listener.lines.next(), "hangup");
    program.line("reload triggered");
}
