//! `fuzz TARGET FILE…` runs files, to reproduce what a search found. Built with `--cfg fuzzing` it is the search:
//! `fuzz --target=TARGET` and the options of libFuzzer, which ignores options with two dashes.
#![cfg_attr(fuzzing, no_main)]

use anyhow::{Context, Result};
use fuzz::{TARGETS, Target, target};

/// The target with this name, or an error that lists all names.
fn find_target(name: &str) -> Result<Target> {
    let names = TARGETS.map(|target| target.name).join(", ");
    target(name).with_context(|| format!("there is no target {name:?}; the targets are {names}"))
}

#[cfg(not(fuzzing))]
fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let target = find_target(&arguments.next().context("usage: fuzz TARGET FILE…")?)?;
    for file in arguments {
        let input = std::fs::read(&file).with_context(|| format!("cannot read {file}"))?;
        (target.attempt)(&input);
    }
    Ok(())
}

#[cfg(fuzzing)]
mod driver {
    use std::sync::OnceLock;

    use fuzz::Target;

    /// The target of this process.
    static TARGET: OnceLock<Target> = OnceLock::new();

    fn target() -> &'static Target {
        TARGET.get_or_init(|| {
            let name =
                std::env::args().find_map(|argument| argument.strip_prefix("--target=").map(str::to_owned));
            super::find_target(&name.unwrap_or_default()).expect("the search is started with a target")
        })
    }

    libfuzzer_sys::fuzz_target!(|input: &[u8]| (target().attempt)(input));
}
