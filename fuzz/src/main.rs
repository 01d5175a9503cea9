//! `fuzz TARGET FILE…` tries files, to reproduce what a search found. Built with `--cfg fuzzing` it is the search itself:
//! `fuzz --target=TARGET` and the options of libFuzzer, which ignores options with two dashes.
#![cfg_attr(fuzzing, no_main)]

use anyhow::{Context, Result};
use fuzz::{TARGETS, Target, target};

/// The target of this name, or the names that there are.
fn named(name: &str) -> Result<Target> {
    let names = TARGETS.map(|target| target.name).join(", ");
    target(name).with_context(|| format!("there is no target {name:?}, only {names}"))
}

#[cfg(not(fuzzing))]
fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let target = named(&words.next().context("say which target: fuzz TARGET FILE…")?)?;
    for file in words {
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
            let name = std::env::args().find_map(|word| word.strip_prefix("--target=").map(str::to_owned));
            super::named(&name.unwrap_or_default()).expect("the search is started with a target")
        })
    }

    libfuzzer_sys::fuzz_target!(|input: &[u8]| (target().attempt)(input));
}
