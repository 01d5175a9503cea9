//! Finds a process by its name, and sends it a signal.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// How many bytes of a program's name the kernel keeps.
const KEPT: usize = 15;

/// The process with the lowest number that runs a program of this name.
pub(super) fn find(name: &str) -> io::Result<Option<Pid>> {
    find_in(Path::new("/proc"), name)
}

fn find_in(directory: &Path, name: &str) -> io::Result<Option<Pid>> {
    let name = &name.as_bytes()[..name.len().min(KEPT)];
    let mut found = None;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // The process may have ended meanwhile.
        let Ok(program) = fs::read(entry.path().join("comm")) else { continue };
        if program.strip_suffix(b"\n").unwrap_or(&program) == name {
            found = Some(found.map_or(number, |other: i32| other.min(number)));
        }
    }
    Ok(found.and_then(Pid::from_raw))
}

/// Sends SIGHUP, which reloads the configuration.
pub(super) fn hang_up(process: Pid) -> io::Result<()> {
    Ok(kill_process(process, Signal::HUP)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_process_number_with_the_name_is_found() {
        let directory = tempfile::tempdir().unwrap();
        for (entry, name) in
            [("31", "prometheus"), ("7", "prometheus"), ("1", "pause"), ("99", "prometheus-conf")]
        {
            fs::create_dir(directory.path().join(entry)).unwrap();
            fs::write(directory.path().join(entry).join("comm"), format!("{name}\n")).unwrap();
        }
        fs::create_dir(directory.path().join("self")).unwrap();
        fs::create_dir(directory.path().join("55")).unwrap();
        let find = |name| find_in(directory.path(), name).unwrap().map(|pid| pid.as_raw_nonzero().get());
        assert_eq!(find("prometheus"), Some(7));
        assert_eq!(find("prometheus-config-reloader"), Some(99));
        assert_eq!(find("thanos"), None);
    }
}
