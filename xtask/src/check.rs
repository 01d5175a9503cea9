//! All checks that need no cluster. All steps run even if others fail, so that one run shows everything that has to be
//! fixed.

use std::path::Path;

use anyhow::{Context, Result};
use lab::console::line;

use crate::nextest::{self, Suite};
use crate::programs::{Call, Programs};
use crate::summary::{Outcome, Summary, step};
use crate::{ChoreResult, environment, generate, tools};

/// The steps, the fastest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Format,
    Spelling,
    GeneratedFiles,
    Dependencies,
    Lints,
    UnitTests,
    Conformance,
    DocumentationTests,
}

/// The directory of the test cases of the operators that Mainstay replaces, relative to the workspace. It is not part
/// of the repository.
pub(crate) const CASES: &str = "../shared/conformance/prometheus-operator";

impl Step {
    const ALL: [Self; 8] = [
        Self::Format,
        Self::Spelling,
        Self::GeneratedFiles,
        Self::Dependencies,
        Self::Lints,
        Self::UnitTests,
        Self::Conformance,
        Self::DocumentationTests,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Spelling => "spelling",
            Self::GeneratedFiles => "generated files",
            Self::Dependencies => "dependencies",
            Self::Lints => "lints",
            Self::UnitTests => "unit tests",
            Self::Conformance => "conformance",
            Self::DocumentationTests => "documentation tests",
        }
    }

    /// Whether the step has anything to check.
    fn applies(self) -> bool {
        self != Self::DocumentationTests || has_documentation_tests(&environment::workspace())
    }

    async fn outcome(self, programs: &Programs) -> Outcome {
        let cargo = |words: &str| Call::cargo().words(words);
        match self {
            Self::Format => programs.run(&cargo("fmt --all --check")).await.into(),
            Self::Spelling => with_tool(programs, tools::TYPOS, "").await.into(),
            Self::GeneratedFiles => generated_files().into(),
            Self::Dependencies => {
                with_tool(programs, tools::DENY, "--locked check bans licenses sources").await.into()
            }
            Self::Lints => programs
                .run(&cargo("clippy --locked --workspace --all-targets --all-features -- -D warnings"))
                .await
                .into(),
            Self::UnitTests => nextest::run(programs, Suite::Unit, &[]).await,
            Self::Conformance => conformance(programs).await,
            Self::DocumentationTests => programs.run(&cargo("test --locked --workspace --doc")).await.into(),
        }
    }
}

/// Runs every step and prints the results.
pub(crate) async fn run(programs: &Programs) -> Summary {
    let mut summary = Summary::default();
    for one in Step::ALL.into_iter().filter(|step| step.applies()) {
        summary.entries.push(step(one.name(), None, one.outcome(programs)).await);
    }
    line(format!("\n{}", summary.table()));
    summary
}

async fn with_tool(programs: &Programs, tool: tools::Tool, words: &str) -> Result<()> {
    let program = tool.installed(programs).await?;
    programs.run(&Call::of(program).words(words)).await
}

/// Runs the conformance cases. They are not part of the repository: if they are absent, the step is skipped.
async fn conformance(programs: &Programs) -> Outcome {
    if !environment::workspace().join(CASES).is_dir() {
        return Outcome::skipped(no_cases());
    }
    programs.run(&Call::own("conformance").words(CASES)).await.into()
}

/// The reason to skip a step that needs the cases.
pub(crate) fn no_cases() -> String {
    format!("there are no cases at {CASES}")
}

fn generated_files() -> Result<()> {
    match generate::run(true)? {
        ChoreResult::Good => Ok(()),
        ChoreResult::Bad => Err(anyhow::anyhow!("generated files are not up to date: run `make gen`")),
    }
}

/// Whether a doc comment below `directory` contains a code block. Documentation tests take time to compile even if
/// there are none.
fn has_documentation_tests(directory: &Path) -> bool {
    let search = || -> Result<bool> {
        for entry in std::fs::read_dir(directory).context("the workspace can be read")? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            let found = if path.is_dir() {
                name != "target" && !name.to_string_lossy().starts_with('.') && has_documentation_tests(&path)
            } else {
                path.extension().is_some_and(|ending| ending == "rs")
                    && contains_code_block(&std::fs::read_to_string(&path)?)
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    };
    // A file that cannot be read may contain one.
    search().unwrap_or(true)
}

fn contains_code_block(source: &str) -> bool {
    let fence = ["///", "//!"].map(|comment| format!("{comment} ```"));
    source.lines().any(|line| fence.iter().any(|fence| line.trim_start().starts_with(fence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_documentation_test_is_a_code_block_in_a_doc_comment() {
        let fence = "```";
        assert!(contains_code_block(&format!("    /// {fence}\n    /// one();\n    /// {fence}\n")));
        assert!(!contains_code_block(&format!("/// plain\nlet text = \"{fence}\";\n")));
    }

    #[test]
    fn every_step_has_its_own_name() {
        let mut names: Vec<&str> = Step::ALL.iter().map(|step| step.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Step::ALL.len());
    }
}
