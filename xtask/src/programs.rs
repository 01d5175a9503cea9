//! Runs programs, and stops them when this one receives a signal. The only module of this crate that starts programs.
//!
//! Each child leads its own process group. Ctrl-C in the terminal therefore reaches only this program, which sends
//! SIGTERM to the group once, so that a test runner can clean up after its tests.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use lab::console::line;

/// How long a child may take to exit after SIGTERM.
const GRACE: Duration = Duration::from_secs(30);

/// How many lines of a log are repeated when its program fails.
const LAST_LINES: usize = 30;

/// The error of a chore that was stopped.
const STOPPED: &str = "stopped by a signal";

/// One call of a program, as data.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    directory: Option<PathBuf>,
}

impl Call {
    /// A call of `program`, found on the `PATH` or by its path.
    pub(crate) fn of(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), environment: Vec::new(), directory: None }
    }

    /// A call of cargo.
    pub(crate) fn cargo() -> Self {
        Self::of(crate::environment::cargo())
    }

    /// Builds one of our programs with the same features as the tests. With only its own features, cargo would compile
    /// shared crates again.
    pub(crate) fn build(program: &str) -> Self {
        Self::cargo().words("build --quiet --locked --workspace --all-features --bin").arguments([program])
    }

    /// Builds one of our programs in the same way, and runs it with the arguments that follow.
    pub(crate) fn own(program: &str) -> Self {
        Self::cargo().words("run --quiet --locked --all-features --bin").arguments([program, "--"])
    }

    /// A call of the lab program of this build, with these words as arguments.
    pub(crate) fn lab(words: &str) -> Result<Self> {
        Ok(Self::of(crate::environment::binaries()?.join("lab")).words(words))
    }

    /// Adds the words of `text` as arguments. Use it only for arguments without spaces.
    pub(crate) fn words(self, text: &str) -> Self {
        self.arguments(text.split_whitespace())
    }

    /// Adds arguments as they are.
    pub(crate) fn arguments<A: AsRef<str>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Runs in `directory` instead of the root of the workspace.
    pub(crate) fn inside(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// The call as it would be typed.
    pub(crate) fn shown(&self) -> String {
        let program = self.program.file_name().unwrap_or(OsStr::new("?")).to_string_lossy();
        std::iter::once(program.as_ref())
            .chain(self.arguments.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[expect(clippy::disallowed_methods, reason = "this is where the crate runs programs")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.directory.clone().unwrap_or_else(crate::environment::workspace))
            .stdin(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

/// Runs programs.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    stop: watch::Receiver<bool>,
}

impl Programs {
    /// A runner that stops its programs when this process receives SIGINT or SIGTERM.
    pub(crate) fn watching_signals() -> Result<Self> {
        let (sender, stop) = watch::channel(false);
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot watch for SIGINT")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot watch for SIGTERM")?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the one task of this program; it ends with its runtime"
        )]
        tokio::spawn(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            line("\nstopping the running programs");
            let _ = sender.send(true);
        });
        Ok(Self { stop })
    }

    /// A runner that ignores signals, for clean-up such as removing a lab.
    pub(crate) fn regardless_of_signals() -> Self {
        Self { stop: watch::channel(false).1 }
    }

    /// Whether this program has received a signal to stop.
    pub(crate) fn stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Runs in the terminal of this program. Fails unless the exit status is 0.
    pub(crate) async fn run(&self, call: &Call) -> Result<()> {
        self.refuse_when_stopped()?;
        let child = call.command().spawn().with_context(|| format!("cannot run `{}`", call.shown()))?;
        self.wait(call, child).await
    }

    /// Runs and returns what was printed to standard output. An error contains the last lines of the output.
    pub(crate) async fn output(&self, call: &Call) -> Result<String> {
        self.refuse_when_stopped()?;
        let mut child = call
            .command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run `{}`", call.shown()))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (ended, printed, errors) = tokio::join!(self.wait(call, child), read_all(out), read_all(err));
        match (ended, last_lines(&format!("{printed}{errors}"))) {
            (Err(error), lines) if !lines.is_empty() => bail!("{error:#}: {lines}"),
            (ended, _) => ended.map(|()| printed),
        }
    }

    /// Runs at the same time as other work: the output goes to the log and, with a prefix, to the terminal. An error
    /// contains the end of the log.
    pub(crate) async fn follow(&self, call: &Call, prefix: &str, log: &Path) -> Result<()> {
        self.refuse_when_stopped()?;
        let ended = self.each_line(call, log, |text| line(format!("{prefix} | {text}"))).await;
        ended.map_err(|error| {
            let lines = last_lines(&String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()));
            anyhow!("{error:#}; the end of {}:\n{lines}", log.display())
        })
    }

    /// Runs with its output in the log, and passes each line of standard output to `each`.
    pub(crate) async fn each_line(&self, call: &Call, log: &Path, mut each: impl FnMut(&str)) -> Result<()> {
        self.refuse_when_stopped()?;
        let mut file = create(log)?;
        let mut child = call
            .command()
            .stdout(Stdio::piped())
            .stderr(file.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot run `{}`", call.shown()))?;
        let mut output = BufReader::new(child.stdout.take().context("standard output was piped")?);
        let echo = async {
            let mut bytes = Vec::new();
            while output.read_until(b'\n', &mut bytes).await.is_ok_and(|length| length > 0) {
                let text = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
                bytes.clear();
                let _ = writeln!(file, "{text}");
                each(&text);
            }
        };
        tokio::join!(self.wait(call, child), echo).0
    }

    fn refuse_when_stopped(&self) -> Result<()> {
        ensure!(!self.stopped(), STOPPED);
        Ok(())
    }

    async fn wait(&self, call: &Call, mut child: Child) -> Result<()> {
        let mut stop = self.stop.clone();
        let signalled = async move {
            // Without a sender there is no signal to wait for.
            if stop.wait_for(|stopped| *stopped).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            status = child.wait() => match status.with_context(|| format!("cannot wait for `{}`", call.shown()))? {
                status if status.success() => Ok(()),
                status => bail!("`{}` failed ({status})", call.shown()),
            },
            () = signalled => {
                signal_group(&child, Signal::TERM);
                if timeout(GRACE, child.wait()).await.is_err() {
                    signal_group(&child, Signal::KILL);
                    let _ = child.wait().await;
                }
                bail!(STOPPED)
            }
        }
    }
}

/// Signals the process group of a child. The child was not waited for yet, so its ID cannot have been reused.
fn signal_group(child: &Child, signal: Signal) {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = kill_process_group(pid, signal);
    }
}

async fn read_all(from: Option<impl tokio::io::AsyncRead + Unpin>) -> String {
    let mut text = Vec::new();
    if let Some(mut from) = from {
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut from, &mut text).await;
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn create(log: &Path) -> Result<File> {
    let directory = log.parent().context("a log is in a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    // Two writers share the file: without append, one would overwrite the other.
    let _ = std::fs::remove_file(log);
    File::options()
        .create(true)
        .append(true)
        .open(log)
        .with_context(|| format!("cannot write {}", log.display()))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use lab::clock::Stopwatch;

    use super::*;

    fn shell(script: &str) -> Call {
        Call::of("sh").arguments(["-c", script])
    }

    #[tokio::test]
    async fn an_error_contains_the_call_and_its_output() {
        let error = Programs::regardless_of_signals()
            .output(&shell("echo no registry >&2; exit 3"))
            .await
            .unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "`sh -c echo no registry >&2; exit 3` failed (exit status: 3): no registry"
        );
    }

    #[tokio::test]
    async fn the_log_contains_standard_output_and_standard_error() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("logs/program.log");
        let programs = Programs::regardless_of_signals();
        programs.follow(&shell("echo one; echo two >&2"), "test", &log).await.unwrap();
        let mut written: Vec<String> =
            std::fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect();
        written.sort();
        assert_eq!(written, ["one", "two"]);
    }

    #[tokio::test]
    async fn output_that_is_not_utf8_is_read_to_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let mut lines = Vec::new();
        Programs::regardless_of_signals()
            .each_line(&shell(r"printf 'a\377\nb\n'"), &directory.path().join("log"), |text| {
                lines.push(text.to_owned());
            })
            .await
            .unwrap();
        assert_eq!(lines, ["a\u{fffd}", "b"]);
    }

    #[tokio::test]
    async fn a_signal_stops_the_program_and_its_children_and_prevents_the_next() {
        let (sender, stop) = watch::channel(false);
        let programs = Programs { stop };
        let watch = Stopwatch::start();
        let (call, later) = (shell("sleep 60 & wait"), async { sender.send(true) });
        let (ended, sent) = tokio::join!(programs.output(&call), later);
        sent.unwrap();
        assert_eq!(format!("{:#}", ended.unwrap_err()), STOPPED);
        assert!(watch.elapsed() < GRACE, "the child process kept the pipe open");
        assert_eq!(programs.run(&shell("true")).await.unwrap_err().to_string(), STOPPED);
    }
}
