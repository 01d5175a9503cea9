//! Paths and settings of the chores. The only reader of the environment in this crate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

#[expect(clippy::disallowed_methods, reason = "this is where the crate reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The kubeconfig context that a person wants to use instead of a lab.
pub(crate) fn context() -> Option<String> {
    variable("MAINSTAY_CONTEXT")
}

/// The cargo that started us, so that one toolchain does everything.
pub(crate) fn cargo() -> PathBuf {
    variable("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// The root of the workspace. Asked at run time: where checkouts share a target directory, what was known at compile
/// time may be about another one.
pub(crate) fn workspace() -> PathBuf {
    let own = variable("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = own.as_deref().and_then(Path::parent).unwrap_or(lab::paths::workspace());
    root.to_owned()
}

/// The directory of the binaries of this build. Whatever told cargo where to build, we lie in it ourselves.
pub(crate) fn binaries() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program lies")?;
    Ok(own.parent().context("a program lies in a directory")?.to_owned())
}

/// How long ago this process began. `cargo run` puts the program that it built in its own place, so that is how long ago
/// cargo began; nothing if the kernel does not say.
pub(crate) fn age() -> Duration {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let ticks = rustix::param::clock_ticks_per_second();
    age_of(&read("/proc/self/stat"), &read("/proc/uptime"), ticks).unwrap_or_default()
}

/// The age of a process, out of what the kernel says about it and about itself.
fn age_of(stat: &str, uptime: &str, ticks_per_second: u64) -> Option<Duration> {
    // The name of the program, in parentheses, may hold anything; behind it are the fields 3 and up.
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
