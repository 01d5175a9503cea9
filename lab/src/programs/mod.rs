//! Builds programs into the cache, each once. A directory gets its final name when it is complete. An interrupted build
//! starts again; the Go build cache keeps what was compiled.

mod cargo;
mod debian;
mod go;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};

pub use debian::install_packages;
pub use go::check_out;

use crate::clock::{Span, Stopwatch};
use crate::console::line;
use crate::paths::{Cache, remove_all};
use crate::versions::{Program, Recipe};

/// Builds programs into a cache.
#[derive(Debug, Clone)]
pub struct Builder {
    cache: Cache,
}

impl Builder {
    /// A builder with this cache.
    pub fn new(cache: Cache) -> Self {
        Self { cache }
    }

    /// Its cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The directory of a program once it is built.
    pub fn directory(&self, program: &Program) -> PathBuf {
        self.cache.programs().join(format!("{}-{}", program.id(), program.key()))
    }

    /// Whether a program is built. This is never true for binaries of this workspace: only cargo knows whether they are
    /// up to date.
    pub fn is_built(&self, program: &Program) -> bool {
        !matches!(program.recipe, Recipe::Cargo(_)) && self.directory(program).is_dir()
    }

    /// Builds those that are missing, in this order, and prints the progress.
    pub fn build(&self, programs: &[Program]) -> Result<()> {
        let missing: Vec<&Program> = programs.iter().filter(|program| !self.is_built(program)).collect();
        let whole = Stopwatch::start();
        for (done, program) in missing.iter().enumerate() {
            let what = format!("{} {} ({} of {})", program.name, program.version, done + 1, missing.len());
            self.build_one(program, &what).with_context(|| format!("building {}", program.id()))?;
            line(format!("built {what}, {} in all", Span(whole.elapsed())));
        }
        Ok(())
    }

    fn build_one(&self, program: &Program, what: &str) -> Result<()> {
        let target = self.directory(program);
        std::fs::create_dir_all(self.cache.programs())?;
        let _lock = lock(&self.cache.programs().join(format!("{}.lock", program.id())), what)?;
        if self.is_built(program) {
            return Ok(());
        }
        let tree = self.cache.build().join(program.id());
        let draft = self.cache.programs().join(format!("{}.draft", program.id()));
        remove_all(&draft)?;
        std::fs::create_dir_all(&draft)?;
        std::fs::create_dir_all(&tree)?;
        with_heartbeat(what, || match &program.recipe {
            Recipe::Go(recipe) => go::build_modules(recipe, &tree, &draft),
            Recipe::Assembly(recipe) => go::build_assembly(recipe, &tree, &draft),
            Recipe::Debian(recipe) => debian::take(recipe, &program.version, &tree, &draft),
            Recipe::Cargo(recipe) => cargo::build(recipe, &draft),
        })?;
        remove_all(&target)?;
        std::fs::rename(&draft, &target).with_context(|| format!("putting {} in place", target.display()))?;
        remove_all(&tree)
    }
}

/// Locks a file until the returned handle is dropped, so that a program is built by one process at a time.
fn lock(path: &Path, what: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    if file.try_lock().is_err() {
        line(format!("{what}: waiting for another build of it"));
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}

/// Prints every 30 seconds that the work is still running.
fn with_heartbeat<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (done, is_done) = mpsc::channel::<()>();
    let watch = Stopwatch::start();
    line(format!("building {what}"));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(Duration::from_secs(30)) {
                line(format!("building {what}: {}", Span(watch.elapsed())));
            }
        });
        let result = work();
        drop(done);
        result
    })
}
