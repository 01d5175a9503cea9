//! One pass over the files: the configuration is decompressed, hashed, expanded and compared with the output file on the
//! way, and read a second time only if it has to be written; the watched directories are hashed. Nothing is held but
//! buffers.

mod digest;
mod expand;
mod output;
mod source;
mod tree;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::environment::Environment;
use crate::report::Reason;

pub use digest::Digest;
pub use expand::Unset;
pub use source::LARGEST;

use digest::Hasher;
use expand::{Expander, LONGEST};
use output::{Draft, Existing};
use source::{Bound, Source};
use tree::Tree;

/// Bytes that are read or written at once.
const BUFFER: usize = 64 * 1024;

/// Which files belong to a configuration.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The configuration itself.
    pub config: Option<PathBuf>,
    /// Where it is written after expansion.
    pub output: Option<PathBuf>,
    /// Directories whose files also count.
    pub watched: Vec<PathBuf>,
}

/// What the files hold: equal if and only if the neighbour would load the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fingerprint {
    /// Of the configuration, decompressed and before expansion.
    pub config: Option<Digest>,
    /// Of the watched directories.
    pub watched: Option<Digest>,
}

/// What a pass found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What the files hold.
    pub fingerprint: Fingerprint,
    /// Whether the output file had to be written.
    pub written: bool,
    /// Variables that are not set.
    pub unset: Unset,
}

/// What a pass could not do.
#[derive(Debug, Error)]
pub enum Error {
    /// The configuration.
    #[error("cannot read the configuration {path}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The output file.
    #[error("cannot write the expanded configuration {path}")]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A watched directory.
    #[error("cannot read the watched directory {path}")]
    Watched {
        /// Which directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// What failed, for metrics.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Read { .. } => Reason::Read,
            Self::Write { .. } => Reason::Write,
            Self::Watched { .. } => Reason::Watched,
        }
    }
}

/// Looks at all files and brings the output file up to date.
pub fn pass(files: &Files, environment: &Environment) -> Result<Found, Error> {
    let mut found = Found { fingerprint: Fingerprint::default(), written: false, unset: Unset::default() };
    if let Some(config) = &files.config {
        let (digest, unset, written) = if let Some(output) = &files.output {
            bring_up_to_date(config, output, environment)?
        } else {
            let (digest, _) =
                expand(config, environment, &mut Target::Nothing).map_err(failed_on(config, config))?;
            (digest, Unset::default(), false)
        };
        found = Found { fingerprint: Fingerprint { config: Some(digest), watched: None }, written, unset };
    }
    if !files.watched.is_empty() {
        let mut tree = Tree::new(files.config.as_deref().and_then(real_place));
        for directory in &files.watched {
            tree.add(directory).map_err(|source| Error::Watched { path: directory.clone(), source })?;
        }
        found.fingerprint.watched = Some(tree.finish());
    }
    Ok(found)
}

/// Where a file is, with links in the directories above it resolved; it may be a link itself.
fn real_place(path: &Path) -> Option<PathBuf> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(directory.canonicalize().ok()?.join(path.file_name()?))
}

/// Compares the output file with what the configuration expands to, and writes it if they differ.
fn bring_up_to_date(
    config: &Path,
    output: &Path,
    environment: &Environment,
) -> Result<(Digest, Unset, bool), Error> {
    let failed = |step| failed_on(config, output)(step);
    if let Some(existing) = Existing::open(output).map_err(Step::Out).map_err(failed)? {
        let mut target = Target::Compare(existing);
        let (digest, unset) = expand(config, environment, &mut target).map_err(failed)?;
        if target.finish().map_err(Step::Out).map_err(failed)? {
            return Ok((digest, unset, false));
        }
    }
    let mut target = Target::Write(Draft::create(output).map_err(Step::Out).map_err(failed)?);
    let (digest, unset) = expand(config, environment, &mut target).map_err(failed)?;
    target.finish().map_err(Step::Out).map_err(failed)?;
    Ok((digest, unset, true))
}

/// Where an expanded configuration goes.
enum Target {
    Nothing,
    Compare(Existing),
    Write(Draft),
}

impl Target {
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Compare(existing) => existing.compare(bytes),
            Self::Write(draft) => draft.write(bytes),
        }
    }

    /// Whether the rest of the configuration makes no difference to it.
    fn has_enough(&self) -> bool {
        matches!(self, Self::Compare(existing) if existing.differs())
    }

    /// Returns whether the output file is now as it should be.
    fn finish(self) -> io::Result<bool> {
        match self {
            Self::Nothing => Ok(true),
            Self::Compare(existing) => existing.finish(),
            Self::Write(draft) => draft.finish().map(|()| true),
        }
    }
}

/// On which side an expansion failed.
enum Step {
    In(io::Error),
    Out(io::Error),
}

fn failed_on(config: &Path, output: &Path) -> impl Fn(Step) -> Error {
    |step| match step {
        Step::In(source) => Error::Read { path: config.into(), source },
        Step::Out(source) => Error::Write { path: output.into(), source },
    }
}

/// Hands the configuration to `target`, expanded. What is returned is about all of it, unless the target had enough.
fn expand(config: &Path, environment: &Environment, target: &mut Target) -> Result<(Digest, Unset), Step> {
    let mut file = Source::open(config).map_err(Step::In)?;
    let mut hasher = Hasher::default();
    let mut expander = Expander::new(environment);
    let mut bound = Bound::default();
    let mut buffer = vec![0; BUFFER + LONGEST];
    let mut kept = 0;
    loop {
        let length = file.read(&mut buffer[kept..]).map_err(Step::In)?;
        let filled = kept + length;
        hasher.update(&buffer[kept..filled]);
        let last = length == 0;
        let expanded = |bytes: &[u8]| bound.take(bytes.len()).and_then(|()| target.take(bytes));
        let done = expander.expand(&buffer[..filled], last, expanded).map_err(Step::Out)?;
        buffer.copy_within(done..filled, 0);
        kept = filled - done;
        if last || target.has_enough() {
            return Ok((hasher.finish(), expander.finish()));
        }
    }
}

#[cfg(test)]
mod tests;
