//! Which directories are watched with inotify. Directories are watched, not files: the kubelet replaces a link in the
//! directory, and a watch of the file behind the link reports that once and never again. What a directory is called
//! may come to mean another one, so the watches are renewed before every pass.

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

/// The link that the kubelet swaps.
const SWAPPED: &[u8] = b"..data";

/// A directory.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    /// The only file in it that counts; all of them where there is none.
    only: Option<OsString>,
    watch: Option<i32>,
    failing: bool,
}

impl Place {
    /// The kubelet prepares and cleans up under names that begin with `..`; what it has done shows in the swap.
    fn concerns(&self, name: &OsStr) -> bool {
        let name_bytes = name.as_bytes();
        name_bytes == SWAPPED
            || (!name_bytes.starts_with(b"..") && self.only.as_ref().is_none_or(|only| only == name))
    }
}

/// What the kernel reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heard {
    /// How many events.
    pub events: u64,
    /// Whether one of them concerns the files.
    pub changed: bool,
}

/// A directory that cannot be watched.
#[derive(Debug)]
pub struct Unwatched {
    /// Which; empty if nothing at all can be watched.
    pub path: PathBuf,
    /// Why.
    pub error: std::io::Error,
}

/// Hears of changes.
#[derive(Debug)]
pub struct Watcher {
    inotify: Option<OwnedFd>,
    places: Vec<Place>,
    refused: Option<Errno>,
}

impl Watcher {
    /// Over the directory of a file, and over these directories.
    pub fn new(config: Option<&Path>, directories: &[PathBuf]) -> Self {
        let mut places: Vec<Place> = directories.iter().map(|path| place(path, None)).collect();
        if let Some(config) = config {
            let parent = config.parent().filter(|parent| !parent.as_os_str().is_empty());
            places.push(place(parent.unwrap_or(Path::new(".")), config.file_name()));
        }
        match init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC) {
            Ok(inotify) => Self { inotify: Some(inotify), places, refused: None },
            Err(error) => Self { inotify: None, places, refused: Some(error) },
        }
    }

    /// Watches every directory again under its name. Returns those that have just become impossible to watch.
    pub fn renew(&mut self) -> Vec<Unwatched> {
        let Some(inotify) = &self.inotify else {
            let refused = self.refused.take();
            return refused
                .map(|error| Unwatched { path: PathBuf::new(), error: error.into() })
                .into_iter()
                .collect();
        };
        let mut failures = Vec::new();
        let mut stale = Vec::new();
        for place in &mut self.places {
            let old = place.watch.take();
            match add_watch(inotify, &place.path, flags()) {
                Ok(watch) => {
                    place.watch = Some(watch);
                    place.failing = false;
                }
                Err(error) => {
                    if !std::mem::replace(&mut place.failing, true) {
                        failures.push(Unwatched { path: place.path.clone(), error: error.into() });
                    }
                }
            }
            stale.extend(old.filter(|old| place.watch != Some(*old)));
        }
        for old in stale {
            if self.places.iter().all(|place| place.watch != Some(old)) {
                // It is gone already if its directory is.
                let _ = remove_watch(inotify, old);
            }
        }
        failures
    }

    /// How many directories are watched.
    pub fn watches(&self) -> usize {
        let mut watches: Vec<i32> = self.places.iter().filter_map(|place| place.watch).collect();
        watches.sort_unstable();
        watches.dedup();
        watches.len()
    }

    /// Waits for events, at most for this time, and then reads all that are there.
    pub fn wait(&self, limit: Duration) -> std::io::Result<Heard> {
        let limit = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        let mut files: Vec<PollFd<'_>> =
            self.inotify.iter().map(|inotify| PollFd::new(inotify, PollFlags::IN)).collect();
        match poll(&mut files, Some(&limit)) {
            Ok(0) | Err(Errno::INTR) => Ok(Heard::default()),
            Ok(_) => self.listen(),
            Err(error) => Err(error.into()),
        }
    }

    fn listen(&self) -> std::io::Result<Heard> {
        let mut heard = Heard::default();
        let Some(inotify) = &self.inotify else { return Ok(heard) };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(inotify, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    heard.events += 1;
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    heard.changed |= self.concerns(event.wd(), event.events(), name);
                }
                Err(Errno::WOULDBLOCK) => return Ok(heard),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn concerns(&self, watch: i32, events: ReadFlags, name: Option<&OsStr>) -> bool {
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        let mut places = self.places.iter().filter(|place| place.watch == Some(watch));
        match name {
            // The directory itself was moved or removed.
            None => places.next().is_some(),
            Some(name) => places.any(|place| {
                place.concerns(name)
                    && !(events.contains(ReadFlags::CREATE) && is_being_written(&place.path.join(name)))
            }),
        }
    }
}

/// A new file is still empty; another event comes when its writer has closed it. A link is complete.
fn is_being_written(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && metadata.nlink() == 1)
}

fn place(path: &Path, only: Option<&OsStr>) -> Place {
    Place { path: path.into(), only: only.map(Into::into), watch: None, failing: false }
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
