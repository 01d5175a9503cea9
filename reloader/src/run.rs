//! Starts all parts, and runs the main loop: it executes what the schedule returns, and reports the result to it.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use thiserror::Error;

use crate::clock::{self, Clock};
use crate::content::{self, Files, Fingerprint};
use crate::environment::Environment;
use crate::flags::Flags;
use crate::log::{Log, chain};
use crate::reload::Trigger;
use crate::report::{Failure, SharedReport};
use crate::schedule::{Action, Event, Intervals, Schedule};
use crate::server::{self, Server};
use crate::watch::Watcher;

/// The stack size of the main loop; its buffers are on the heap.
const STACK: usize = 512 * 1024;
/// What the main loop writes to the pipe when it ends; a signal writes something else.
const ENDED: &[u8] = b"E";

/// Why the program cannot run.
#[derive(Debug, Error)]
pub enum Error {
    /// The web configuration is not valid.
    #[error("cannot use the web configuration")]
    WebConfig(#[source] server::Error),
    /// The first pass failed; later ones are retried.
    #[error("the first pass failed")]
    Pass(#[source] content::Error),
    /// The address is in use, or does not belong to the pod.
    #[error("cannot listen on {0}")]
    Listen(String, #[source] std::io::Error),
    /// A thread or a pipe could not be created.
    #[error("cannot start")]
    System(#[source] std::io::Error),
}

impl Error {
    /// The exit code, the same as the peer's.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::WebConfig(_) => 2,
            Self::Pass(_) | Self::Listen(..) | Self::System(_) => 1,
        }
    }
}

/// Runs until SIGTERM or SIGINT; if the watch interval is zero, for one pass.
pub fn run(flags: Flags, log: Log) -> Result<(), Error> {
    if let Some(path) = &flags.web_config {
        server::check(path).map_err(Error::WebConfig)?;
    }
    log.info("starting mainstay-reloader", &[("version", &crate::VERSION)]);
    if flags.memory_limit_set {
        log.info("--auto-gomemlimit-ratio is ignored: there is no Go runtime", &[]);
    }
    let files = Files {
        config: flags.config_file.clone(),
        output: flags.output_file.clone(),
        watched: flags.watched.clone(),
    };
    let environment = Environment::of_process(&flags.ordinal_from);
    if flags.watch_interval.is_zero() {
        return once(&files, &environment, log);
    }
    watch(flags, files, environment, log)
}

fn once(files: &Files, environment: &Environment, log: Log) -> Result<(), Error> {
    let found = content::pass(files, environment).map_err(Error::Pass)?;
    warn_unset(log, &found.unset.names);
    log.info("expanded once", &[("written", &found.written)]);
    Ok(())
}

fn watch(flags: Flags, files: Files, environment: Environment, log: Log) -> Result<(), Error> {
    let (mut receiver, sender) = UnixStream::pair().map_err(Error::System)?;
    for signal in [SIGTERM, SIGINT] {
        sender.try_clone().and_then(|end| pipe::register(signal, end)).map_err(Error::System)?;
    }
    let report = SharedReport::default();
    let trigger =
        Trigger { method: flags.method, timeout: flags.reload_timeout, signal_limit: flags.watch_interval };
    if let Some(address) = flags.listen {
        let server =
            Server::new(flags.web_config, report.clone(), trigger.name(), log).map_err(Error::WebConfig)?;
        server.start(&address).map_err(|error| Error::Listen(address, error))?;
    }
    let intervals =
        Intervals { watch: flags.watch_interval, delay: flags.delay_interval, retry: flags.retry_interval };
    let reloader = Loop {
        watcher: Watcher::new(files.config.as_deref(), &files.watched),
        schedule: Schedule::new(intervals),
        files,
        environment,
        trigger,
        report,
        log,
        clock: Clock::start(),
        found: Fingerprint::default(),
        sent: None,
        unset: BTreeSet::new(),
    };
    let on_end = NotifyOnDrop(sender);
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let _on_end = on_end;
            reloader.run()
        })
        .map_err(Error::System)?;
    let mut message = [0];
    receiver.read_exact(&mut message).map_err(Error::System)?;
    if message == ENDED {
        return worker.join().unwrap_or(Ok(()));
    }
    // Does not wait for a reload in progress, which can take long: the first pass after a restart reloads anyway.
    log.info("stopping after a signal", &[]);
    Ok(())
}

/// Notifies the main thread that the main loop has ended, also after a panic.
struct NotifyOnDrop(UnixStream);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        // Fails only if the main thread has ended already.
        let _ = self.0.write_all(ENDED);
    }
}

struct Loop {
    files: Files,
    environment: Environment,
    trigger: Trigger,
    watcher: Watcher,
    schedule: Schedule,
    report: SharedReport,
    log: Log,
    clock: Clock,
    /// The hashes of the last pass.
    found: Fingerprint,
    /// The hashes of the last reload, successful or not.
    sent: Option<Fingerprint>,
    /// The variables of the last warning.
    unset: BTreeSet<String>,
}

impl Loop {
    fn run(mut self) -> Result<(), Error> {
        if self.files.config.is_none() && self.files.watched.is_empty() {
            self.log.info("there is nothing to watch", &[]);
            loop {
                thread::park();
            }
        }
        let mut first = true;
        loop {
            let event = match self.schedule.next(self.clock.now()) {
                Action::Wait(limit) => self.wait(limit),
                Action::Reload => Some(self.reload()),
                Action::Pass => match self.pass() {
                    Err(error) if first => return Err(Error::Pass(error)),
                    Err(error) => Some(self.pass_failed(&error)),
                    Ok(event) => {
                        first = false;
                        Some(event)
                    }
                },
            };
            if let Some(event) = event {
                self.schedule.happened(event, self.clock.now());
            }
        }
    }

    fn wait(&self, limit: Duration) -> Option<Event> {
        match self.watcher.wait(limit) {
            Ok(events) => {
                self.report.update(|report| report.watch_events += events.count);
                events.changed.then_some(Event::Change)
            }
            Err(error) => {
                self.report.update(|report| report.watch_errors += 1);
                self.log.error("cannot read inotify events", &[("err", &error)]);
                // A change may have been missed. The schedule limits how often this causes a pass.
                Some(Event::Change)
            }
        }
    }

    fn pass(&mut self) -> Result<Event, content::Error> {
        for failure in self.watcher.renew() {
            self.report.update(|report| report.watch_errors += 1);
            self.log.warn(
                "cannot watch the directory: changes are only seen every --watch-interval",
                &[("path", &failure.path.display()), ("err", &failure.error)],
            );
        }
        let watches = self.watcher.watches() as u64;
        self.report.update(|report| {
            report.watches = watches;
            report.passes += 1;
        });
        let found = content::pass(&self.files, &self.environment)?;
        self.report.update(|report| {
            report.found(found.fingerprint, self.sent);
            report.unset_variables = found.unset.count;
            report.writes += u64::from(found.written);
        });
        if found.unset.names != self.unset {
            warn_unset(self.log, &found.unset.names);
            self.unset = found.unset.names;
        }
        self.found = found.fingerprint;
        Ok(Event::Passed { reload: found.written || self.sent != Some(self.found) })
    }

    fn pass_failed(&self, error: &content::Error) -> Event {
        let message = chain(error);
        self.report.update(|report| {
            report.passes_failed += 1;
            report.failure = Some(Failure { reason: error.reason(), message: message.clone() });
        });
        self.log.error("a pass failed and will be retried", &[("err", &message)]);
        Event::PassFailed
    }

    fn reload(&mut self) -> Event {
        self.sent = Some(self.found);
        self.report.update(|report| report.reloads += 1);
        let mut changed = None;
        let outcome = self.trigger.reload(&mut || {
            changed = changed.or(self.wait(Duration::ZERO));
            changed.is_some()
        });
        if let Some(change) = changed {
            self.schedule.happened(change, self.clock.now());
        }
        match outcome {
            Ok(()) => {
                let now = clock::timestamp();
                self.report.update(|report| {
                    report.last_reload_successful = Some(true);
                    report.last_success = Some(now);
                    report.loaded = Some(self.found);
                    report.failure = None;
                });
                let hash = self.found.config.map(|digest| digest.to_string()).unwrap_or_default();
                self.log.info("reload triggered", &[("config_hash", &hash)]);
                Event::Reloaded
            }
            Err(error) => {
                self.report.update(|report| {
                    report.reloads_failed += 1;
                    report.last_reload_successful = Some(false);
                    report.failure = Some(error.failure());
                });
                self.log.error("a reload failed and will be retried", &[("err", &chain(&error))]);
                Event::ReloadFailed
            }
        }
    }
}

fn warn_unset(log: Log, names: &BTreeSet<String>) {
    for name in names {
        log.warn(
            "the configuration refers to a variable that is not set: the reference is left unchanged",
            &[("variable", name)],
        );
    }
}
