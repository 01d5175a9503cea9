//! Runs programs until they exit. The error of a failed program contains its command line and the end of its output.
//! Long-running programs are started by `process`, which gets its `Command` here.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// One call of a program.
pub struct Call {
    command: Command,
    shown: String,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A call of `program`, found on the `PATH` or by its path.
#[expect(clippy::disallowed_methods, reason = "this is where the crate runs programs")]
pub fn call(program: impl AsRef<OsStr>) -> Call {
    let program = program.as_ref();
    let mut command = Command::new(program);
    // On Debian, the `PATH` of ordinary users does not contain the system tools.
    command.env("PATH", format!("{}:/usr/sbin:/sbin", crate::paths::search_path())).stdin(Stdio::null());
    Call { command, shown: Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned() }
}

impl Call {
    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Adds the words of `text` as arguments. Use it only for arguments without spaces.
    #[must_use]
    pub fn words(self, text: &str) -> Self {
        self.args(text.split_whitespace())
    }

    /// Runs in `directory`.
    #[must_use]
    pub fn directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn environment(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs the program and returns its standard output without trailing white space.
    pub fn output(mut self) -> Result<String> {
        let output = self.command.output().with_context(|| format!("cannot run `{}`", self.shown))?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr);
            let printed = printed.trim();
            let tail: Vec<&str> = printed.lines().rev().take(15).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            bail!("`{}` failed ({}): {}", self.shown, output.status, tail.join("\n"));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Runs the program and ignores its output.
    pub fn run(self) -> Result<()> {
        self.output().map(drop)
    }

    /// Runs the program and returns whether it succeeded.
    pub fn succeeds(self) -> bool {
        self.output().is_ok()
    }

    /// Runs the program in the terminal of the caller and returns its exit code.
    pub fn interactive(mut self) -> Result<i32> {
        let status = self
            .command
            .stdin(Stdio::inherit())
            .status()
            .with_context(|| format!("cannot run `{}`", self.shown))?;
        Ok(status.code().unwrap_or(1))
    }

    /// The command, for a long-running program.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_contains_the_call_and_its_output() {
        let error = call("sh").args(["-c", "echo no such volume >&2; exit 3"]).run().unwrap_err().to_string();
        assert_eq!(error, "`sh -c echo no such volume >&2; exit 3` failed (exit status: 3): no such volume");
    }

    #[test]
    fn a_missing_program_is_named_in_the_error() {
        let error = call("no-such-program").run().unwrap_err().to_string();
        assert_eq!(error, "cannot run `no-such-program`");
    }
}
