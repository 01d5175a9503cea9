//! Paths and settings of the chores. The only module of this crate that reads the environment.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

#[expect(clippy::disallowed_methods, reason = "this is where the crate reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The kubeconfig context to use instead of a lab.
pub(crate) fn context() -> Option<String> {
    variable("MAINSTAY_CONTEXT")
}

/// The cargo that started this program, so that one toolchain does everything.
pub(crate) fn cargo() -> PathBuf {
    variable("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// The root of the workspace, determined at run time: if checkouts share a target directory, the path at compile time
/// may be that of another one.
pub(crate) fn workspace() -> PathBuf {
    let own = variable("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = own.as_deref().and_then(Path::parent).unwrap_or(lab::paths::workspace());
    root.to_owned()
}

/// The directory of the binaries of this build, which contains this program.
pub(crate) fn binaries() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find the file of this program")?;
    Ok(own.parent().context("a program is in a directory")?.to_owned())
}

/// The time since this process began. `cargo run` replaces itself by the program, so this includes the compilation.
/// Zero if it cannot be determined.
pub(crate) fn age() -> Duration {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let ticks = rustix::param::clock_ticks_per_second();
    age_of(&read("/proc/self/stat"), &read("/proc/uptime"), ticks).unwrap_or_default()
}

/// The age of a process, from `/proc/PID/stat` and `/proc/uptime`.
fn age_of(stat: &str, uptime: &str, ticks_per_second: u64) -> Option<Duration> {
    // The program name in parentheses may contain any character. Field 3 follows the last parenthesis.
    let (_, fields) = stat.rsplit_once(") ")?;
    let start: u64 = fields.split(' ').nth(19)?.parse().ok()?;
    let start = Duration::from_millis(start * 1000 / ticks_per_second.max(1));
    let now: f64 = uptime.split(' ').next()?.parse().ok()?;
    Duration::try_from_secs_f64(now).ok()?.checked_sub(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_process_is_counted_from_the_start_of_the_machine() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12050 0 0 18446744073709551615\n";
        assert_eq!(age_of(stat, "130.50 240.00\n", 100), Some(Duration::from_secs(10)));
        assert_eq!(age_of("", "130.50 240.00\n", 100), None);
        assert_eq!(age_of(stat, "", 100), None);
    }

    #[test]
    fn this_process_has_an_age() {
        assert!(age() < Duration::from_hours(1));
    }
}
