//! The wiring, and the loop: asks the schedule what to do, does it, says how it went.

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
use crate::report::{Board, Failure};
use crate::schedule::{Action, Event, Intervals, Schedule};
use crate::server::{self, Server};
use crate::watch::Watcher;

/// What the loop's thread needs; its buffers are elsewhere.
const STACK: usize = 512 * 1024;
/// What the loop says when it ends; a signal says something else.
const ENDED: &[u8] = b"E";

/// Why the program does not run.
#[derive(Debug, Error)]
pub enum Error {
    /// The web configuration.
    #[error("cannot use the web configuration")]
    WebConfig(#[source] server::Error),
    /// The first pass; later ones are tried again.
    #[error("the first pass failed")]
    Pass(#[source] content::Error),
    /// The address is taken, or not ours.
    #[error("cannot listen on {0}")]
    Listen(String, #[source] std::io::Error),
    /// The system has no thread or pipe for us.
    #[error("cannot start")]
    System(#[source] std::io::Error),
}

impl Error {
    /// What the process ends with, as the peer's does.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::WebConfig(_) => 2,
            Self::Pass(_) | Self::Listen(..) | Self::System(_) => 1,
        }
    }
}

/// Runs until a signal comes; with a watch interval of zero, for one pass.
pub fn run(flags: Flags, log: Log) -> Result<(), Error> {
    if let Some(path) = &flags.web_config {
        server::check(path).map_err(Error::WebConfig)?;
    }
    log.info("starting mainstay-reloader", &[("version", &crate::VERSION)]);
    if flags.memory_limit_asked {
        log.info("--auto-gomemlimit-ratio does nothing: there is no Go runtime here", &[]);
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
    warn_of_unset(log, &found.unset.names);
    log.info("expanded once", &[("written", &found.written)]);
    Ok(())
}

fn watch(flags: Flags, files: Files, environment: Environment, log: Log) -> Result<(), Error> {
    let (mut ours, theirs) = UnixStream::pair().map_err(Error::System)?;
    for signal in [SIGTERM, SIGINT] {
        theirs.try_clone().and_then(|end| pipe::register(signal, end)).map_err(Error::System)?;
    }
    let board = Board::default();
    let trigger =
        Trigger { method: flags.method, timeout: flags.reload_timeout, patience: flags.watch_interval };
    if let Some(address) = flags.listen {
        let server =
            Server::new(flags.web_config, board.clone(), trigger.name(), log).map_err(Error::WebConfig)?;
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
        board,
        log,
        clock: Clock::start(),
        found: Fingerprint::default(),
        sent: None,
        unset: BTreeSet::new(),
    };
    let last_word = LastWord(theirs);
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let _last_word = last_word;
            reloader.run()
        })
        .map_err(Error::System)?;
    let mut word = [0];
    ours.read_exact(&mut word).map_err(Error::System)?;
    if word == ENDED {
        return worker.join().unwrap_or(Ok(()));
    }
    // A reload may be under way and take long. Nothing would be lost with it: the next start begins with one.
    log.info("a signal asks to end", &[]);
    Ok(())
}

/// Tells the main thread that the loop is over, however that came about.
struct LastWord(UnixStream);

impl Drop for LastWord {
    fn drop(&mut self) {
        // If the receiver is gone, there is nothing to wait for.
        let _ = self.0.write_all(ENDED);
    }
}

struct Loop {
    files: Files,
    environment: Environment,
    trigger: Trigger,
    watcher: Watcher,
    schedule: Schedule,
    board: Board,
    log: Log,
    clock: Clock,
    /// What the last pass found.
    found: Fingerprint,
    /// The content of the last reload, whether it succeeded or not.
    sent: Option<Fingerprint>,
    /// Variables that were warned of.
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
            Ok(heard) => {
                self.board.update(|report| report.watch_events += heard.events);
                heard.changed.then_some(Event::Change)
            }
            Err(error) => {
                self.board.update(|report| report.watch_errors += 1);
                self.log.error("watching failed", &[("err", &error)]);
                // Looking costs less than not knowing, and the schedule sees to it that it is not done all the time.
                Some(Event::Change)
            }
        }
    }

    fn pass(&mut self) -> Result<Event, content::Error> {
        for unwatched in self.watcher.renew() {
            self.board.update(|report| report.watch_errors += 1);
            self.log.warn(
                "cannot watch, so changes are only seen each --watch-interval",
                &[("path", &unwatched.path.display()), ("err", &unwatched.error)],
            );
        }
        let watches = self.watcher.watches() as u64;
        self.board.update(|report| {
            report.watches = watches;
            report.passes += 1;
        });
        let found = content::pass(&self.files, &self.environment)?;
        self.board.update(|report| {
            report.found(found.fingerprint, self.sent);
            report.unset_variables = found.unset.count;
            report.writes += u64::from(found.written);
        });
        if found.unset.names != self.unset {
            warn_of_unset(self.log, &found.unset.names);
            self.unset = found.unset.names;
        }
        self.found = found.fingerprint;
        Ok(Event::Passed { reload: found.written || self.sent != Some(self.found) })
    }

    fn pass_failed(&self, error: &content::Error) -> Event {
        let message = chain(error);
        self.board.update(|report| {
            report.passes_failed += 1;
            report.failure = Some(Failure { reason: error.reason(), message: message.clone() });
        });
        self.log.error("a pass failed and will be tried again", &[("err", &message)]);
        Event::PassFailed
    }

    fn reload(&mut self) -> Event {
        self.sent = Some(self.found);
        self.board.update(|report| report.reloads += 1);
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
                self.board.update(|report| {
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
                self.board.update(|report| {
                    report.reloads_failed += 1;
                    report.last_reload_successful = Some(false);
                    report.failure = Some(error.failure());
                });
                self.log.error("a reload failed and will be tried again", &[("err", &chain(&error))]);
                Event::ReloadFailed
            }
        }
    }
}

fn warn_of_unset(log: Log, names: &BTreeSet<String>) {
    for name in names {
        log.warn(
            "the configuration refers to a variable that is not set; left as it is",
            &[("variable", name)],
        );
    }
}
