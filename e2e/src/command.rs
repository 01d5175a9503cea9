//! Runs programs, mostly `lab`. Only this module reads the environment and starts programs.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use ::lab::process::Identity;
use ::lab::shell::{Call, call};
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

#[expect(clippy::disallowed_methods, reason = "this is where the crate reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The lab that the tests run on: `MAINSTAY_LAB`, else `e2e`.
pub fn lab_name() -> String {
    variable("MAINSTAY_LAB").unwrap_or_else(|| "e2e".into())
}

/// The directory with the programs of the same profile as this test: a test runs as `<target>/<profile>/deps/<test>-<hash>`.
fn built() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    Some(test.parent()?.parent()?.to_owned())
}

/// The target directory of cargo.
pub fn target() -> Result<PathBuf> {
    let profile = built().context("this test was not built by cargo")?;
    Ok(profile.parent().context("the directory of the profile has no parent")?.to_owned())
}

/// Cargo.
pub fn cargo() -> Call {
    call(variable("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program of this workspace.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    leading: &'static [&'static str],
}

impl Program {
    /// The program at a path.
    pub fn at(path: PathBuf) -> Self {
        Self { path, leading: &[] }
    }

    /// The `lab` program: `LAB_BINARY`, else the one that cargo built with this test, else `cargo run`.
    pub fn lab() -> Self {
        let beside = || built().map(|built| built.join("lab")).filter(|program| program.is_file());
        match variable("LAB_BINARY").map(PathBuf::from).or_else(beside) {
            Some(path) => Self::at(path),
            None => Self {
                path: "cargo".into(),
                leading: &["run", "--quiet", "--package", "lab", "--bin", "lab", "--"],
            },
        }
    }

    /// Runs it to the end and returns its standard output. An error contains its standard error. It blocks, so that
    /// destructors can call it.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        call(&self.path).args(self.leading).args(arguments).output()
    }

    /// Starts it in a process group of its own.
    #[expect(clippy::disallowed_methods, reason = "this is where the crate starts programs")]
    pub fn start(&self, arguments: &[&str]) -> Result<Running> {
        let mut child = Command::new(&self.path)
            .args(self.leading)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", self.shown(arguments)))?;
        let lines = BufReader::new(child.stdout.take().context("the output is a pipe")?).lines();
        Ok(Running { child, lines, shown: self.shown(arguments) })
    }

    fn shown(&self, arguments: &[&str]) -> String {
        format!("{} {}", self.path.display(), arguments.join(" "))
    }
}

/// A running program. It is killed with all its children when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    shown: String,
}

impl Running {
    /// Reads its output up to a line that contains `text`.
    pub async fn line_with(&mut self, text: &str, limit: Duration) -> Result<String> {
        let mut seen = Vec::new();
        let search = async {
            while let Some(line) = self.lines.next_line().await? {
                if line.contains(text) {
                    return Ok(line);
                }
                seen.push(line);
            }
            bail!("`{}` ended without printing `{text}`", self.shown)
        };
        let found = tokio::time::timeout(limit, search)
            .await
            .unwrap_or_else(|_| Err(anyhow::anyhow!("`{}` did not print `{text}` in {limit:?}", self.shown)));
        found.with_context(|| format!("it printed:\n{}", seen.join("\n")))
    }

    /// Kills it and its children, and waits until it has exited.
    pub async fn kill(mut self) -> Result<()> {
        self.kill_group();
        self.child.wait().await.with_context(|| format!("cannot wait for `{}`", self.shown))?;
        Ok(())
    }

    fn kill_group(&self) {
        let leader = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(leader) = leader
            && Identity::of(leader).is_some()
            && let Some(group) = Pid::from_raw(leader)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill_group();
    }
}
