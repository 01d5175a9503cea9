//! Searches for inputs that break a parser or a writer: builds [`fuzz`](../../fuzz) with libFuzzer and searches each
//! target for some time. The corpus is kept in the cache, so the next search continues with it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use lab::console::line;
use lab::paths::Cache;

use crate::programs::{Call, Programs};
use crate::summary::Outcome;
use crate::{ChoreResult, environment};

/// Instruments the code for coverage. `cargo fuzz` passes the same; stable compilers have it.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                     -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Ccodegen-units=1";

/// An input that takes longer than this, in seconds, counts as a failure.
const SLOWEST: u64 = 10;
/// An input that takes more memory than this, in mebibytes, counts as a failure.
const LARGEST: u64 = 3072;

/// Searches one target, or each after the other. Fails if an input breaks one of them.
pub(crate) async fn run(programs: &Programs, target: Option<&str>, seconds: u64) -> Result<ChoreResult> {
    Ok(ChoreResult::of(search(programs, target, seconds).await?.failure.is_none()))
}

/// The same as an outcome, in which each target counts as a test.
pub(crate) async fn search(programs: &Programs, target: Option<&str>, seconds: u64) -> Result<Outcome> {
    let seeds = environment::workspace().join("fuzz/seeds");
    let targets = chosen(&targets(&seeds)?, target)?;
    programs.run(&cargo("build")?).await?;
    let mut outcome = Outcome::default();
    for target in targets {
        let directory = Cache::of_user().directory().join("fuzz").join(&target);
        let log = directory.join("log");
        let ended = programs.follow(&call(&target, &directory, &seeds, seconds)?, &target, &log).await;
        let printed = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        match (ended, found(&printed)) {
            (Ok(()), _) => {
                outcome.report.counts.passed += 1;
                line(format!("{target}: {}, nothing found", Progress::read(&printed)));
            }
            (Err(_), Some(file)) => {
                outcome.also_failed(&anyhow!("{target} is broken by {file}"));
                line(format!("{target}: {}, BROKEN by {file}", Progress::read(&printed)));
                line(format!(
                    "  see {}; to try it again: cargo run -p fuzz -- {target} {file}",
                    log.display()
                ));
            }
            (Err(error), None) => return Err(error),
        }
    }
    Ok(outcome)
}

/// All targets: each has a directory of seeds.
fn targets(seeds: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(seeds).with_context(|| format!("cannot read {}", seeds.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The selected targets.
fn chosen(all: &[String], target: Option<&str>) -> Result<Vec<String>> {
    match target {
        None => Ok(all.to_vec()),
        Some(name) if all.iter().any(|known| known == name) => Ok(vec![name.to_owned()]),
        Some(name) => bail!("there is no target {name}, only {}", all.join(", ")),
    }
}

/// A call of cargo for the search. It uses a separate target directory, because its flags would otherwise cause
/// everything to be compiled again.
fn cargo(verb: &str) -> Result<Call> {
    let binaries = environment::binaries()?;
    let directory = binaries.parent().context("binaries are in the target directory")?.join("fuzz");
    Ok(Call::cargo()
        .arguments([verb])
        .words("--quiet --locked --profile fuzz --package fuzz --target host-tuple --target-dir")
        .arguments([directory.display().to_string()])
        .with("RUSTFLAGS", FLAGS))
}

fn call(target: &str, parent: &Path, seeds: &Path, seconds: u64) -> Result<Call> {
    let directory = |name: &str| -> Result<PathBuf> {
        let directory = parent.join(name);
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        Ok(directory)
    };
    let (inputs, found) = (directory("inputs")?, directory("found")?);
    Ok(cargo("run")?.arguments([
        "--".to_owned(),
        format!("--target={target}"),
        inputs.display().to_string(),
        seeds.join(target).display().to_string(),
        format!("-artifact_prefix={}/", found.display()),
        format!("-max_total_time={seconds}"),
        format!("-timeout={SLOWEST}"),
        format!("-rss_limit_mb={LARGEST}"),
        "-max_len=8192".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]))
}

/// The file with the input that broke a target.
fn found(log: &str) -> Option<&str> {
    let (_, rest) = log.split_once("Test unit written to ")?;
    rest.lines().next()
}

/// The progress of a search.
#[derive(Debug, Default, PartialEq, Eq)]
struct Progress {
    runs: u64,
    coverage: u64,
    inputs: u64,
}

impl Progress {
    /// Parses the last line about progress: `#1024 REDUCE cov: 33 ft: 44 corp: 5/66b …`.
    fn read(log: &str) -> Self {
        let number = |text: Option<&str>| {
            let digits: String = text.unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap_or_default()
        };
        let after = |line: &'_ str, word: &str| number(line.split_once(word).map(|(_, rest)| rest));
        let progress = log.lines().rev().find(|line| line.starts_with('#') && line.contains(" cov: "));
        let Some(progress) = progress else { return Self::default() };
        Self {
            runs: number(progress.strip_prefix('#')),
            coverage: after(progress, " cov: "),
            inputs: after(progress, " corp: "),
        }
    }
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { runs, coverage, inputs } = self;
        write!(f, "{runs} runs, coverage {coverage}, {inputs} inputs kept")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_search_is_parsed() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 10 ft: 11 corp: 1/1b\n#1024\tREDUCE cov: 33 ft: 44 corp: 5/66b lim: 4\n\
                   ==1== ERROR: libFuzzer: deadly signal\nartifact_prefix='/f/'; Test unit written to /f/crash-1\nBase64: AA==\n";
        assert_eq!(Progress::read(log).to_string(), "1024 runs, coverage 33, 5 inputs kept");
        assert_eq!(found(log), Some("/f/crash-1"));
        assert_eq!((Progress::read(""), found("")), (Progress::default(), None));
    }

    #[test]
    fn one_target_can_be_chosen() {
        let all = ["a".to_owned(), "b".to_owned()];
        assert_eq!(chosen(&all, None).unwrap(), all);
        assert_eq!(chosen(&all, Some("b")).unwrap(), ["b"]);
        assert_eq!(chosen(&all, Some("c")).unwrap_err().to_string(), "there is no target c, only a, b");
    }

    #[test]
    fn every_target_has_seeds() {
        let targets = targets(&environment::workspace().join("fuzz/seeds")).unwrap();
        assert!(targets.contains(&"yaml_emitter".to_owned()), "{targets:?}");
    }
}
