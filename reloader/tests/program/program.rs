//! The program under test, and the pages that it serves.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;

use crate::lines::Lines;

/// A running reloader; it is killed at the end of the test.
pub(crate) struct Program {
    child: Child,
    lines: Lines,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the program under test")]
fn command(flags: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay-reloader"));
    command.args(flags).arg("--log-format=json").env("POD_NAME", "prometheus-main-2").env("SHARD", "7");
    command
}

/// Runs the program to its end.
pub(crate) fn run(flags: &[String]) -> (ExitStatus, String) {
    let output = command(flags).output().unwrap();
    (output.status, String::from_utf8(output.stdout).unwrap())
}

impl Program {
    /// Starts the program.
    pub(crate) fn start(flags: &[String]) -> Self {
        let mut child = command(flags).stdout(Stdio::piped()).spawn().unwrap();
        let lines = Lines::of(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Waits for a log line with this message, and skips the lines before it.
    pub(crate) fn line(&self, message: &str) -> Value {
        loop {
            let line: Value = serde_json::from_str(&self.lines.next()).unwrap();
            if line["msg"] == message {
                return line;
            }
        }
    }

    /// The address that it listens on.
    pub(crate) fn address(&self) -> String {
        self.line("serving metrics, health and status")["address"].as_str().unwrap().to_owned()
    }

    /// The ID of the process.
    pub(crate) fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Waits until the process exits.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

/// The body of a page.
pub(crate) fn page(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    body.into()
}

/// The value of a metric without labels.
pub(crate) fn metric(address: &str, name: &str) -> u64 {
    let text = page(address, "/metrics");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}
