//! One pass over the files: the configuration is decompressed, hashed, expanded and compared with the output file as it
//! is read. It is read a second time only if the output file has to be written. The watched directories are hashed.
//! Only buffers are kept in memory.

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

/// The size of buffers, in bytes.
const BUFFER: usize = 64 * 1024;

/// The files of a configuration.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The configuration itself.
    pub config: Option<PathBuf>,
    /// The file that the expanded configuration is written to.
    pub output: Option<PathBuf>,
    /// Directories whose files also belong to the configuration.
    pub watched: Vec<PathBuf>,
}

/// Hashes of the files: equal if and only if the server would load the same configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fingerprint {
    /// The hash of the configuration, decompressed and before expansion.
    pub config: Option<Digest>,
    /// The hash of the watched directories.
    pub watched: Option<Digest>,
}

/// The result of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The hashes of the files.
    pub fingerprint: Fingerprint,
    /// Whether the output file was written.
    pub written: bool,
    /// References to variables that are not set.
    pub unset: Unset,
}

/// Why a pass failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The configuration could not be read.
    #[error("cannot read the configuration {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The output file could not be written.
    #[error("cannot write the expanded configuration {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A watched directory could not be read.
    #[error("cannot read the watched directory {path}")]
    Watched {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    /// The reason, for metrics and `/status`.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Read { .. } => Reason::Read,
            Self::Write { .. } => Reason::Write,
            Self::Watched { .. } => Reason::Watched,
        }
    }
}

/// Reads all files, and writes the output file if it has to change.
pub fn pass(files: &Files, environment: &Environment) -> Result<Found, Error> {
    let mut found = Found::default();
    if let Some(config) = &files.config {
        if let Some(output) = &files.output {
            found = update_output(config, output, environment)?;
        } else {
            let expanded = expand(config, environment, &mut Target::Nothing);
            let expanded = expanded.map_err(failed_on(config, config))?;
            found.fingerprint.config = Some(expanded.digest);
        }
    }
    if !files.watched.is_empty() {
        let mut tree = Tree::new(files.config.as_deref().and_then(resolve_directory));
        for directory in &files.watched {
            tree.add(directory).map_err(|source| Error::Watched { path: directory.clone(), source })?;
        }
        found.fingerprint.watched = Some(tree.finish());
    }
    Ok(found)
}

/// The path of a file with all links in its directory resolved. The file itself can be a link.
fn resolve_directory(path: &Path) -> Option<PathBuf> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(directory.canonicalize().ok()?.join(path.file_name()?))
}

/// Compares the output file with the expanded configuration, and writes it if they differ.
fn update_output(config: &Path, output: &Path, environment: &Environment) -> Result<Found, Error> {
    let failed = |side| failed_on(config, output)(side);
    let found = |expanded: Expanded, written| Found {
        fingerprint: Fingerprint { config: Some(expanded.digest), watched: None },
        written,
        unset: expanded.unset,
    };
    if let Some(existing) = Existing::open(output).map_err(Failed::Output).map_err(failed)? {
        let mut target = Target::Compare(existing);
        let expanded = expand(config, environment, &mut target).map_err(failed)?;
        if target.finish().map_err(Failed::Output).map_err(failed)? {
            return Ok(found(expanded, false));
        }
    }
    let mut target = Target::Write(Draft::create(output).map_err(Failed::Output).map_err(failed)?);
    let expanded = expand(config, environment, &mut target).map_err(failed)?;
    target.finish().map_err(Failed::Output).map_err(failed)?;
    Ok(found(expanded, true))
}

/// What is done with an expanded configuration.
enum Target {
    Nothing,
    Compare(Existing),
    Write(Draft),
}

impl Target {
    fn accept(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Compare(existing) => existing.compare(bytes),
            Self::Write(draft) => draft.write(bytes),
        }
    }

    /// Whether the result no longer depends on the rest of the configuration.
    fn is_decided(&self) -> bool {
        matches!(self, Self::Compare(existing) if existing.differs())
    }

    /// Returns whether the output file now has the expanded configuration.
    fn finish(self) -> io::Result<bool> {
        match self {
            Self::Nothing => Ok(true),
            Self::Compare(existing) => existing.finish(),
            Self::Write(draft) => draft.finish().map(|()| true),
        }
    }
}

/// Which side of an expansion failed.
enum Failed {
    Input(io::Error),
    Output(io::Error),
}

fn failed_on(config: &Path, output: &Path) -> impl Fn(Failed) -> Error {
    |failed| match failed {
        Failed::Input(source) => Error::Read { path: config.into(), source },
        Failed::Output(source) => Error::Write { path: output.into(), source },
    }
}

/// What an expansion found.
struct Expanded {
    /// The hash of the configuration, decompressed and before expansion.
    digest: Digest,
    unset: Unset,
}

/// Passes the expanded configuration to `target`. The result is about all of it, unless the target was decided before.
fn expand(config: &Path, environment: &Environment, target: &mut Target) -> Result<Expanded, Failed> {
    let mut file = Source::open(config).map_err(Failed::Input)?;
    let mut hasher = Hasher::default();
    let mut expander = Expander::new(environment);
    let mut bound = Bound::default();
    let mut buffer = vec![0; BUFFER + LONGEST];
    let mut kept = 0;
    loop {
        let length = file.read(&mut buffer[kept..]).map_err(Failed::Input)?;
        let filled = kept + length;
        hasher.update(&buffer[kept..filled]);
        let last = length == 0;
        let accept = |bytes: &[u8]| bound.count(bytes.len()).and_then(|()| target.accept(bytes));
        let done = expander.expand(&buffer[..filled], last, accept).map_err(Failed::Output)?;
        buffer.copy_within(done..filled, 0);
        kept = filled - done;
        if last || target.is_decided() {
            return Ok(Expanded { digest: hasher.finish(), unset: expander.finish() });
        }
    }
}

#[cfg(test)]
mod tests;
