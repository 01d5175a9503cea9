//! Figures of this process from `/proc`. A figure that cannot be read is omitted.

use std::fs;
use std::path::Path;

use rustix::param::{clock_ticks_per_second, page_size};

/// Figures of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// CPU time in seconds.
    pub cpu_seconds: Option<f64>,
    /// Resident memory in bytes.
    pub resident_bytes: Option<u64>,
    /// Virtual memory in bytes.
    pub virtual_bytes: Option<u64>,
    /// The limit of virtual memory in bytes.
    pub virtual_limit: Option<u64>,
    /// The number of open file descriptors.
    pub open_files: Option<u64>,
    /// The limit of open file descriptors.
    pub file_limit: Option<u64>,
    /// The start time in seconds since 1970.
    pub started: Option<f64>,
}

impl Figures {
    /// Reads the figures of this process.
    pub fn read() -> Self {
        let process = Path::new("/proc/self");
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        let sizes = Sizes { ticks: clock_ticks_per_second(), page: page_size() as u64 };
        let files = fs::read_dir(process.join("fd")).map(|files| files.count() as u64);
        Self {
            open_files: files.ok(),
            ..Self::of(
                &text(&process.join("stat")),
                &text(&process.join("limits")),
                &text(Path::new("/proc/stat")),
                sizes,
            )
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "no process runs for longer than a float can count")]
    fn of(stat: &str, limits: &str, system: &str, sizes: Sizes) -> Self {
        // The name of the program can contain spaces and parentheses: the third field follows the last parenthesis.
        let fields: Vec<&str> =
            stat.rsplit_once(')').map(|(_, rest)| rest.split(' ').collect()).unwrap_or_default();
        let field = |number: usize| fields.get(number - 2)?.trim().parse::<u64>().ok();
        let seconds = |ticks: u64| ticks as f64 / sizes.ticks as f64;
        let boot = system.lines().find_map(|line| line.strip_prefix("btime ")?.parse::<f64>().ok());
        Self {
            cpu_seconds: field(14).zip(field(15)).map(|(user, system)| seconds(user + system)),
            resident_bytes: field(24).map(|pages| pages * sizes.page),
            virtual_bytes: field(23),
            virtual_limit: limit(limits, "Max address space"),
            open_files: None,
            file_limit: limit(limits, "Max open files"),
            started: boot.zip(field(22)).map(|(boot, ticks)| boot + seconds(ticks)),
        }
    }
}

/// The units of figures in `/proc`.
#[derive(Clone, Copy)]
struct Sizes {
    ticks: u64,
    page: u64,
}

fn limit(limits: &str, name: &str) -> Option<u64> {
    let soft = limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
    if soft == "unlimited" { Some(u64::MAX) } else { soft.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_parsed_after_any_program_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 17 18 500 4096000 3 19\n";
        let limits = "Max open files            1024                 524288               files\n\
                      Max address space         unlimited            unlimited            bytes\n";
        let figures = Figures::of(stat, limits, "cpu 1 2\nbtime 1000\n", Sizes { ticks: 100, page: 4096 });
        let expected = Figures {
            cpu_seconds: Some(2.0),
            resident_bytes: Some(3 * 4096),
            virtual_bytes: Some(4_096_000),
            virtual_limit: Some(u64::MAX),
            open_files: None,
            file_limit: Some(1024),
            started: Some(1005.0),
        };
        assert_eq!(figures, expected);
        assert_eq!(Figures::of("", "", "", Sizes { ticks: 100, page: 4096 }), Figures::default());
    }

    #[test]
    fn the_figures_of_this_process_are_read() {
        let figures = Figures::read();
        assert!(
            figures.cpu_seconds.is_some() && figures.resident_bytes > Some(0) && figures.open_files > Some(2)
        );
        assert!(
            figures.started > Some(0.0) && figures.file_limit.is_some() && figures.virtual_limit.is_some()
        );
    }
}
