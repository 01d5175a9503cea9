//! Runs programs, and ends them when this one is asked to stop. The only module of this crate that starts one.
//!
//! Each child leads a process group of its own: Ctrl-C at the terminal reaches only us, and we pass it on to the
//! group once, so that a test runner can still clean up after its tests.

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

/// How long a child may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(30);

/// How much of a log is repeated when its program fails.
const LAST_LINES: usize = 30;

/// What a stopped chore says.
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

    /// Builds one of our own programs, in the way of the tests: the whole workspace decides about features. With those of
    /// the program alone, cargo would compile again what they share.
    pub(crate) fn build(program: &str) -> Self {
        Self::cargo().words("build --quiet --locked --workspace --all-features --bin").arguments([program])
    }

    /// Builds one of our own programs, in the same way, and runs it with the arguments that follow.
    pub(crate) fn own(program: &str) -> Self {
        Self::cargo().words("run --quiet --locked --all-features --bin").arguments([program, "--"])
    }

    /// Adds the words of `text`, split at spaces: for arguments that hold none.
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

    /// As a person would type it.
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

/// The runner of programs.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    stop: watch::Receiver<bool>,
}

impl Programs {
    /// A runner that stops its programs when this process gets SIGINT or SIGTERM.
    pub(crate) fn watching_signals() -> Result<Self> {
        let (said, stop) = watch::channel(false);
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
            line("\nstopping: the programs that run are asked to end");
            let _ = said.send(true);
        });
        Ok(Self { stop })
    }

    /// The same runner for what must happen in any case, such as taking a lab down.
    pub(crate) fn regardless_of_signals() -> Self {
        Self { stop: watch::channel(false).1 }
    }

    /// Whether somebody asked this program to stop.
    pub(crate) fn stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Runs with our terminal; fails unless the program ends well.
    pub(crate) async fn run(&self, call: &Call) -> Result<()> {
        self.refuse_when_stopped()?;
        let child = call.command().spawn().with_context(|| format!("cannot run `{}`", call.shown()))?;
        self.wait(call, child).await
    }

    /// Runs quietly and gives back what it printed; a failure repeats its last words.
    pub(crate) async fn output(&self, call: &Call) -> Result<String> {
        self.refuse_when_stopped()?;
        let mut child = call
            .command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run `{}`", call.shown()))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (ended, printed, said) = tokio::join!(self.wait(call, child), read_all(out), read_all(err));
        match (ended, last_lines(&format!("{printed}{said}"))) {
            (Err(error), words) if !words.is_empty() => bail!("{error:#}: {words}"),
            (ended, _) => ended.map(|()| printed),
        }
    }

    /// Runs beside other work: its output goes to the log and, with a prefix, to the terminal. A failure repeats the end of
    /// the log.
    pub(crate) async fn follow(&self, call: &Call, prefix: &str, log: &Path) -> Result<()> {
        self.refuse_when_stopped()?;
        let ended = self.each_line(call, log, |text| line(format!("{prefix} | {text}"))).await;
        ended.map_err(|error| {
            let words = last_lines(&std::fs::read_to_string(log).unwrap_or_default());
            anyhow!(
                "{error:#}; the end of {}:
{words}",
                log.display()
            )
        })
    }

    /// Runs quietly: its output goes to the log, and each line of it to `each` too.
    pub(crate) async fn each_line(&self, call: &Call, log: &Path, mut each: impl FnMut(&str)) -> Result<()> {
        self.refuse_when_stopped()?;
        let mut file = create(log)?;
        let mut child = call
            .command()
            .stdout(Stdio::piped())
            .stderr(file.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot run `{}`", call.shown()))?;
        let mut lines = BufReader::new(child.stdout.take().context("standard output was piped")?).lines();
        let echo = async {
            while let Ok(Some(text)) = lines.next_line().await {
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
        let asked_to_stop = async move {
            // Without a sender there will be no request to stop.
            if stop.wait_for(|said| *said).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            status = child.wait() => match status.with_context(|| format!("lost sight of `{}`", call.shown()))? {
                status if status.success() => Ok(()),
                status => bail!("`{}` failed ({status})", call.shown()),
            },
            () = asked_to_stop => {
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

/// Signals the group that a child leads. It has not been collected yet, so the number is still its own.
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
    let directory = log.parent().context("a log lies in a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    // Two writers share it: without append the one would write over the other.
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
    async fn a_failure_names_the_call_and_repeats_its_words() {
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
    async fn the_log_of_a_followed_program_holds_both_of_its_outputs() {
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
    async fn a_stop_ends_the_program_and_its_children_and_refuses_the_next() {
        let (said, stop) = watch::channel(false);
        let programs = Programs { stop };
        let watch = Stopwatch::start();
        let (call, later) = (shell("sleep 60 & wait"), async { said.send(true) });
        let (ended, sent) = tokio::join!(programs.output(&call), later);
        sent.unwrap();
        assert_eq!(format!("{:#}", ended.unwrap_err()), STOPPED);
        assert!(watch.elapsed() < GRACE, "the sleeper kept our pipe open");
        assert_eq!(programs.run(&shell("true")).await.unwrap_err().to_string(), STOPPED);
    }
}
