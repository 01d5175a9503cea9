//! Metrics of the process, under the names that every client library of Prometheus uses. A value that cannot be read is
//! omitted.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use super::catalogue::Catalogue;
use super::measured::Samples;

/// The value if there is no limit.
const NO_LIMIT: f64 = 18_446_744_073_709_551_615.0;

/// Registers the families `process_*`.
pub fn register(catalogue: &mut Catalogue) {
    let mut plain = catalogue.under("");
    let cpu = || samples(stat().cpu_seconds());
    plain.measured_counters("process_cpu_seconds", [], "User and system CPU time in seconds", cpu);
    let mut gauge = |name: &'static str, help: &'static str, read: fn() -> Option<f64>| {
        plain.measured_gauges(name, [], help, move || samples(read()));
    };
    gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970", started);
    gauge("process_resident_memory_bytes", "Resident memory in bytes", || stat().resident_bytes());
    gauge("process_virtual_memory_bytes", "Virtual memory in bytes", || stat().virtual_bytes());
    gauge("process_virtual_memory_max_bytes", "Limit of the virtual memory in bytes", || {
        limit(&read("self/limits"), "Max address space")
    });
    gauge("process_open_fds", "Number of open file descriptors", open_files);
    gauge("process_max_fds", "Limit of open file descriptors", || {
        limit(&read("self/limits"), "Max open files")
    });
}

/// A value as the only sample of a family.
fn samples(value: Option<f64>) -> Samples<0> {
    value.map(|value| ([], value)).into_iter().collect()
}

fn read(file: &str) -> String {
    fs::read_to_string(format!("/proc/{file}")).unwrap_or_default()
}

fn stat() -> Stat {
    Stat::read(&read("self/stat"))
}

fn started() -> Option<f64> {
    let boot = read("stat").lines().find_map(|line| line.strip_prefix("btime ")?.parse::<f64>().ok())?;
    Some(boot + stat().since_boot()?)
}

#[expect(clippy::cast_precision_loss, reason = "the number of open files is small")]
fn open_files() -> Option<f64> {
    fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as f64)
}

/// A soft limit, or [`NO_LIMIT`].
fn limit(limits: &str, name: &str) -> Option<f64> {
    let soft = limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
    if soft == "unlimited" { Some(NO_LIMIT) } else { soft.parse().ok() }
}

/// The numbers behind the name of the program.
struct Stat(Vec<f64>);

impl Stat {
    /// The name may contain spaces and parentheses; the third field, a letter, comes after its last parenthesis.
    fn read(text: &str) -> Self {
        let fields = text.rsplit_once(") ").map(|(_, rest)| rest.split_whitespace()).into_iter().flatten();
        Self(fields.skip(1).map_while(|field| field.parse().ok()).collect())
    }

    /// A field by its number in the manual.
    fn field(&self, number: usize) -> Option<f64> {
        self.0.get(number - 4).copied()
    }

    fn cpu_seconds(&self) -> Option<f64> {
        Some((self.field(14)? + self.field(15)?) / ticks())
    }

    /// When the process started.
    fn since_boot(&self) -> Option<f64> {
        Some(self.field(22)? / ticks())
    }

    fn virtual_bytes(&self) -> Option<f64> {
        self.field(23)
    }

    #[expect(clippy::cast_precision_loss, reason = "the size of a page is small")]
    fn resident_bytes(&self) -> Option<f64> {
        Some(self.field(24)? * page_size() as f64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is at most a few thousand")]
fn ticks() -> f64 {
    clock_ticks_per_second() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_after_any_program_name() {
        let text = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 17 18 500 4096000 3 19\n";
        let stat = Stat::read(text);
        assert_eq!(stat.cpu_seconds(), Some(200.0 / ticks()));
        assert_eq!(stat.since_boot(), Some(500.0 / ticks()));
        assert_eq!(stat.virtual_bytes(), Some(4_096_000.0));
        assert_eq!(stat.resident_bytes(), Some(3.0 * f64::from(u32::try_from(page_size()).unwrap())));
        assert_eq!(Stat::read("").cpu_seconds(), None);
        let limits = "Max open files            1024                 524288               files\n\
                      Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(limit(limits, "Max open files"), Some(1024.0));
        assert_eq!(limit(limits, "Max address space"), Some(NO_LIMIT));
    }

    #[test]
    fn all_values_can_be_read_for_this_process() {
        let mut catalogue = Catalogue::default();
        register(&mut catalogue);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
        let page = catalogue.expose().unwrap();
        for entry in catalogue.entries() {
            let line = page.lines().find(|line| line.starts_with(&format!("{}{{}} ", entry.name)));
            let value: f64 = line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap();
            assert!(value > 0.0 || entry.name == "process_cpu_seconds_total", "{line:?}");
        }
    }
}
