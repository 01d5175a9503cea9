//! Watches directories with inotify. It does not watch files: the kubelet replaces a link in the directory, and a watch
//! of the target of the link would report only the first replacement. A path can later refer to another directory, so
//! the watches are renewed before every pass.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::io::Errno;

/// The link that the kubelet replaces.
const SWAPPED: &[u8] = b"..data";

/// A directory to watch.
#[derive(Debug)]
struct Directory {
    path: PathBuf,
    /// The only relevant file in it; `None` if all files are relevant.
    only: Option<OsString>,
    watch: Option<i32>,
    failing: bool,
}

impl Directory {
    /// Names that start with `..` are temporary files of the kubelet, except for the link that it replaces.
    fn is_relevant(&self, name: &OsStr) -> bool {
        let name_bytes = name.as_bytes();
        name_bytes == SWAPPED
            || (!name_bytes.starts_with(b"..") && self.only.as_ref().is_none_or(|only| only == name))
    }
}

/// The events that the kernel reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Events {
    /// The number of events.
    pub count: u64,
    /// Whether one of them is a change of a relevant file.
    pub changed: bool,
}

/// Why a directory cannot be watched.
#[derive(Debug)]
pub struct WatchFailure {
    /// The directory; empty if inotify is not available at all.
    pub path: PathBuf,
    /// The error of the system.
    pub error: std::io::Error,
}

/// Watches directories for changes.
#[derive(Debug)]
pub struct Watcher {
    inotify: Option<OwnedFd>,
    directories: Vec<Directory>,
    init_error: Option<Errno>,
}

impl Watcher {
    /// A watcher for the directory of a file, and for these directories.
    pub fn new(config: Option<&Path>, directories: &[PathBuf]) -> Self {
        let mut directories: Vec<Directory> = directories.iter().map(|path| directory(path, None)).collect();
        if let Some(config) = config {
            let parent = config.parent().filter(|parent| !parent.as_os_str().is_empty());
            directories.push(directory(parent.unwrap_or(Path::new(".")), config.file_name()));
        }
        match init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC) {
            Ok(inotify) => Self { inotify: Some(inotify), directories, init_error: None },
            Err(error) => Self { inotify: None, directories, init_error: Some(error) },
        }
    }

    /// Watches the directories that the paths refer to now. Returns new failures.
    pub fn renew(&mut self) -> Vec<WatchFailure> {
        let Some(inotify) = &self.inotify else {
            let failure = |error: Errno| WatchFailure { path: PathBuf::new(), error: error.into() };
            return self.init_error.take().map(failure).into_iter().collect();
        };
        let mut failures = Vec::new();
        let mut stale = Vec::new();
        for directory in &mut self.directories {
            let old = directory.watch.take();
            match add_watch(inotify, &directory.path, flags()) {
                Ok(watch) => {
                    directory.watch = Some(watch);
                    directory.failing = false;
                }
                Err(error) => {
                    if !std::mem::replace(&mut directory.failing, true) {
                        failures.push(WatchFailure { path: directory.path.clone(), error: error.into() });
                    }
                }
            }
            stale.extend(old.filter(|old| directory.watch != Some(*old)));
        }
        for old in stale {
            if self.directories.iter().all(|directory| directory.watch != Some(old)) {
                // Fails if the directory was removed, and the watch with it.
                let _ = remove_watch(inotify, old);
            }
        }
        failures
    }

    /// How many directories are watched.
    pub fn watches(&self) -> usize {
        let mut watches: Vec<i32> = self.directories.iter().filter_map(|directory| directory.watch).collect();
        watches.sort_unstable();
        watches.dedup();
        watches.len()
    }

    /// Waits for events, at most for this time, and then reads all pending events.
    pub fn wait(&self, limit: Duration) -> std::io::Result<Events> {
        let limit = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        let mut files: Vec<PollFd<'_>> =
            self.inotify.iter().map(|inotify| PollFd::new(inotify, PollFlags::IN)).collect();
        match poll(&mut files, Some(&limit)) {
            Ok(0) | Err(Errno::INTR) => Ok(Events::default()),
            Ok(_) => self.read(),
            Err(error) => Err(error.into()),
        }
    }

    fn read(&self) -> std::io::Result<Events> {
        let mut events = Events::default();
        let Some(inotify) = &self.inotify else { return Ok(events) };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(inotify, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    events.count += 1;
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    events.changed |= self.is_change(event.wd(), event.events(), name);
                }
                Err(Errno::WOULDBLOCK) => return Ok(events),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn is_change(&self, watch: i32, events: ReadFlags, name: Option<&OsStr>) -> bool {
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        let mut directories = self.directories.iter().filter(|directory| directory.watch == Some(watch));
        match name {
            // The directory itself was moved or removed.
            None => directories.next().is_some(),
            Some(name) => directories.any(|directory| {
                directory.is_relevant(name)
                    && !(events.contains(ReadFlags::CREATE) && is_being_written(&directory.path.join(name)))
            }),
        }
    }
}

/// A new file is still empty: another event follows when its writer closes it. A link is complete at once.
fn is_being_written(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && metadata.nlink() == 1)
}

fn directory(path: &Path, only: Option<&OsStr>) -> Directory {
    Directory { path: path.into(), only: only.map(Into::into), watch: None, failing: false }
}

fn flags() -> WatchFlags {
    WatchFlags::CLOSE_WRITE
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR
}

#[cfg(test)]
mod tests;
