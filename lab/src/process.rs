//! Long-running programs. Each process records its ID, start time and boot before it executes the program, so there is
//! a record even if the lab is killed meanwhile. Processes are stopped by their records, never by name.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::signal::unix::{SignalKind, signal};

use crate::clock::wait_until;
use crate::shell::call;

/// A process, identified by its ID and its start time, because IDs are reused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pid: i32,
    start: u64,
}

impl Identity {
    /// The process that has this ID now.
    pub fn of(pid: i32) -> Option<Self> {
        let (start, ended) = read_stat(pid)?;
        (!ended).then_some(Self { pid, start })
    }

    /// The process as a line for [`Identity::from_record`], with the boot.
    pub fn to_record(&self) -> String {
        format!("{} {} {}", self.pid, self.start, boot())
    }

    /// The process of a record, unless the machine was rebooted since.
    pub fn from_record(record: &str) -> Option<Self> {
        parse_record(record, &boot())
    }

    /// The process ID.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Whether it still runs. A zombie does not.
    pub fn is_alive(&self) -> bool {
        matches!(read_stat(self.pid), Some((start, false)) if start == self.start)
    }

    /// Sends a signal to this process, and never to another one with the same ID.
    pub fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        // The descriptor is opened before the comparison, so that the ID cannot be reused in between.
        if let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty())
            && self.is_alive()
        {
            let _ = pidfd_send_signal(descriptor, signal);
        }
    }
}

/// The ID of the current boot.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Start time in clock ticks since boot, and whether the process has ended (zombie or dead).
fn read_stat(pid: i32) -> Option<(u64, bool)> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(stat: &str) -> Option<(u64, bool)> {
    // The program name in parentheses may contain any character. Field 3 follows the last parenthesis.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let start = fields.nth(18)?.parse().ok()?;
    Some((start, matches!(state, "Z" | "X" | "x")))
}

/// Sends SIGTERM to each, and SIGKILL to those that still run after `grace`.
pub fn end(processes: &[Identity], grace: Duration) {
    for process in processes {
        process.signal(Signal::TERM);
    }
    if !wait_until(grace, || processes.iter().all(|process| !process.is_alive())) {
        for process in processes {
            process.signal(Signal::KILL);
        }
        wait_until(Duration::from_secs(10), || processes.iter().all(|process| !process.is_alive()));
    }
}

/// Runs in the new process: joins the control groups, writes the record, executes the program.
const WRAPPER: &str = r#"set -eu
record=$1; groups=$2; shift 2
for group in $groups; do echo $$ >"$group/cgroup.procs"; done
read -r boot </proc/sys/kernel/random/boot_id
read -r stat </proc/$$/stat
start_of() { shift 21; echo "$1"; }
echo "$$ $(start_of $stat) $boot" >"$record.draft"
mv "$record.draft" "$record"
exec "$@"
"#;

/// A program to start.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Name of its record and log.
    pub name: &'a str,
    /// Network namespace, by path; the caller's if absent.
    pub network: Option<&'a Path>,
    /// Control groups to start in, so that its children are found again too.
    pub groups: &'a [PathBuf],
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Further environment variables.
    pub environment: &'a [(&'a str, String)],
}

/// The records of one lab's processes.
#[derive(Debug, Clone)]
pub struct ProcessRecords {
    directory: PathBuf,
    logs: PathBuf,
}

impl ProcessRecords {
    /// Records in `directory/processes`, logs in `directory/logs`.
    pub fn below(directory: &Path) -> Self {
        Self { directory: directory.join("processes"), logs: directory.join("logs") }
    }

    /// The log file of a process.
    pub fn log(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.log"))
    }

    /// Starts a program, unless the one recorded under this name still runs.
    pub fn start(&self, launch: &Launch<'_>) -> Result<()> {
        if self.alive(launch.name).is_some() {
            return Ok(());
        }
        for directory in [&self.directory, &self.logs] {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let record = self.directory.join(launch.name);
        let _ = std::fs::remove_file(&record);
        let log = OpenOptions::new().create(true).append(true).open(self.log(launch.name))?;
        let groups: Vec<String> = launch.groups.iter().map(|group| group.display().to_string()).collect();

        let mut start = call("setsid");
        if let Some(network) = launch.network {
            start = start.arg("nsenter").arg(format!("--net={}", network.display()));
        }
        let mut start =
            start.args(["sh", "-c", WRAPPER, "lab"]).arg(&record).arg(groups.join(" ")).arg(launch.program);
        for (name, value) in launch.environment {
            start = start.environment(name, value);
        }
        let mut child = start
            .args(launch.arguments)
            .into_command()
            .stdout(log.try_clone()?)
            .stderr(log)
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", launch.name))?;
        let recorded = wait_until(Duration::from_secs(20), || {
            record.exists() || matches!(child.try_wait(), Ok(Some(_)) | Err(_))
        });
        if !recorded || !record.exists() {
            bail!("{} did not start: {}", launch.name, self.log_tail(launch.name));
        }
        Ok(())
    }

    /// The running process recorded under this name.
    pub fn alive(&self, name: &str) -> Option<Identity> {
        let record = std::fs::read_to_string(self.directory.join(name)).ok()?;
        let recorded = Identity::from_record(&record)?;
        recorded.is_alive().then_some(recorded)
    }

    /// The names of all records, sorted.
    pub fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.contains(".draft"))
            .collect();
        names.sort();
        names
    }

    /// Stops these processes at the same time and removes their records.
    pub fn stop<N: AsRef<str>>(&self, names: &[N], grace: Duration) {
        let running: Vec<Identity> = names.iter().filter_map(|name| self.alive(name.as_ref())).collect();
        end(&running, grace);
        for name in names {
            let _ = std::fs::remove_file(self.directory.join(name.as_ref()));
        }
    }

    /// The end of a process's log, for an error message.
    pub fn log_tail(&self, name: &str) -> String {
        let path = self.log(name);
        let log = std::fs::read_to_string(&path).unwrap_or_default();
        let tail: Vec<&str> = log.lines().rev().take(8).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        format!("the end of {}:\n{}", path.display(), tail.join("\n"))
    }
}

fn parse_record(record: &str, boot: &str) -> Option<Identity> {
    let mut fields = record.split_whitespace();
    let identity = Identity { pid: fields.next()?.parse().ok()?, start: fields.next()?.parse().ok()? };
    (fields.next()? == boot).then_some(identity)
}

/// Runs a future until it is complete, or until SIGTERM or SIGINT. A signal drops the future, and with it everything
/// that it started.
pub async fn until_stopped<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let stop = stop_signal()?;
    tokio::select! {
        outcome = work => outcome,
        () = stop => bail!("stopped by a signal"),
    }
}

/// Waits for SIGTERM or SIGINT. From this call on, these signals no longer terminate the process, so that it can stop
/// what it started.
pub fn stop_signal() -> Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper(records: &ProcessRecords, name: &str) {
        records
            .start(&Launch {
                name,
                network: None,
                groups: &[],
                program: Path::new("sleep"),
                arguments: &["300".into()],
                environment: &[],
            })
            .unwrap();
    }

    #[test]
    fn a_program_name_may_contain_parentheses() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20";
        assert_eq!(parse_stat(stat), Some((4242, false)));
        assert_eq!(parse_stat(&stat.replace(" S ", " Z ")), Some((4242, true)));
    }

    #[test]
    fn a_record_from_before_a_reboot_is_ignored() {
        assert_eq!(parse_record("7 4242 boot-a\n", "boot-a"), Some(Identity { pid: 7, start: 4242 }));
        assert_eq!(parse_record("7 4242 boot-a\n", "boot-b"), None);
    }

    #[test]
    fn a_process_is_started_once_found_and_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let records = ProcessRecords::below(directory.path());
        sleeper(&records, "sleeper");
        let first = records.alive("sleeper").unwrap();
        sleeper(&records, "sleeper");
        assert_eq!(records.alive("sleeper"), Some(first.clone()));
        assert_eq!(records.names(), ["sleeper"]);
        records.stop(&["sleeper"], Duration::from_secs(5));
        assert!(!first.is_alive());
        assert_eq!(records.names(), Vec::<String>::new());
    }

    #[test]
    fn another_process_with_the_same_id_gets_no_signal() {
        let directory = tempfile::tempdir().unwrap();
        let records = ProcessRecords::below(directory.path());
        sleeper(&records, "sleeper");
        let real = records.alive("sleeper").unwrap();
        let stale = Identity { pid: real.pid, start: real.start + 1 };
        stale.signal(Signal::KILL);
        assert!(real.is_alive());
        records.stop(&["sleeper"], Duration::from_secs(5));
    }

    #[test]
    fn a_failed_start_is_an_error_with_the_log() {
        let directory = tempfile::tempdir().unwrap();
        let records = ProcessRecords::below(directory.path());
        let launch = Launch {
            name: "ghost",
            network: None,
            groups: &[directory.path().join("no-such-group")],
            program: Path::new("sleep"),
            arguments: &[],
            environment: &[],
        };
        let error = records.start(&launch).unwrap_err().to_string();
        assert!(error.starts_with("ghost did not start: the end of "), "{error}");
    }
}
