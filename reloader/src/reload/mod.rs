//! How the server is made to reload its configuration, and whether it did.

mod neighbour;
mod runtime_info;
mod words;

use std::time::Duration;

use thiserror::Error;

use crate::client;
use crate::clock::{self, Deadline};
use crate::flags::Method;
use crate::report::{Failure, Reason};
use crate::url::Url;
use runtime_info::{ReloadState, RuntimeInfo};

/// Between two questions whether a signal worked.
const PAUSE: Duration = Duration::from_millis(200);

/// So long a process is left alone with a signal, whatever becomes of the files: what it does later could not be told from
/// what it does about the next signal.
const ALONE: Duration = Duration::from_secs(3);

/// Longest wait before a signal, for the second of the last reload to end. Longer helps only against a clock that was set
/// back.
const SECOND: Duration = Duration::from_secs(1);

/// How often is looked whether that second has ended.
const MOMENT: Duration = Duration::from_millis(20);

/// Why a reload failed. Shown with what may be repeated of the neighbour's words: for the log.
#[derive(Debug, Error)]
pub enum Error {
    /// It did not answer.
    #[error("the reload was not answered")]
    Post(#[source] client::Error),
    /// It said no.
    #[error("the reload was answered {status} {}: {}", words::masked(.phrase.as_bytes()), words::masked(.body))]
    Rejected {
        /// Three digits.
        status: u16,
        /// The words behind them.
        phrase: String,
        /// What it said.
        body: Vec<u8>,
    },
    /// There is no process.
    #[error("no process is called {0:?}; do the containers share their processes?")]
    NoProcess(String),
    /// It is unknown.
    #[error("cannot send a signal")]
    Signal(#[source] std::io::Error),
    /// It cannot be asked.
    #[error("cannot ask for the runtime information")]
    Ask(#[source] client::Error),
    /// Its answer says nothing.
    #[error("the runtime information: {0}")]
    Info(String),
    /// It says that the configuration is not good.
    #[error("the configuration was not loaded: the log of the process says why")]
    Refused,
    /// There was no response.
    #[error("a signal was sent, and no reload was seen")]
    Unseen,
    /// The files are others by now.
    #[error("a signal was sent, and the files changed before a reload was seen")]
    Outdated,
}

impl Error {
    /// What failed, without any word of the neighbour.
    pub fn failure(&self) -> Failure {
        let reason = match self {
            Self::Post(error) | Self::Ask(error) if error.is_timeout() => Reason::Timeout,
            Self::Post(_) | Self::Ask(_) => Reason::Unreachable,
            Self::Rejected { .. } | Self::Refused => Reason::Rejected,
            Self::NoProcess(_) | Self::Signal(_) => Reason::NoProcess,
            Self::Info(_) | Self::Unseen | Self::Outdated => Reason::Unconfirmed,
        };
        let message = if let Self::Rejected { status, body, .. } = self {
            let lines: Vec<String> = words::lines(body).iter().map(ToString::to_string).collect();
            let place =
                if lines.is_empty() { String::new() } else { format!(" (line {})", lines.join(", ")) };
            format!("the reload was answered {status}{place}; the log of the reloader says more")
        } else {
            crate::log::chain(self)
        };
        Failure { reason, message }
    }
}

/// Tells the neighbour.
#[derive(Debug)]
pub struct Trigger {
    /// How.
    pub method: Method,
    /// Longest wait for one answer, and for a signal to mend what failed before.
    pub timeout: Duration,
    /// Longest wait until a signal has worked.
    pub patience: Duration,
}

impl Trigger {
    /// How, as a label.
    pub fn name(&self) -> &'static str {
        match self.method {
            Method::Http(_) => "http",
            Method::Signal { .. } => "signal",
        }
    }

    /// Has the neighbour load its configuration; returns when it has. `is_outdated` says whether the files have changed
    /// meanwhile, so that there is no use in waiting longer.
    pub fn reload(&self, is_outdated: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        match &self.method {
            Method::Http(url) => self.post(url),
            Method::Signal { process, runtime_info: None } => signal(process),
            Method::Signal { process, runtime_info: Some(url) } => {
                let before = RuntimeInfo::ask(url, self.timeout)?;
                clock::wait_for(SECOND, MOMENT, || before.second_is_over(clock::timestamp()).then_some(()));
                signal(process)?;
                self.confirm(url, before, is_outdated)
            }
        }
    }

    fn post(&self, url: &Url) -> Result<(), Error> {
        let answer = client::send("POST", url, self.timeout).map_err(Error::Post)?;
        if answer.status == 200 {
            return Ok(());
        }
        Err(Error::Rejected { status: answer.status, phrase: answer.phrase, body: answer.body })
    }

    fn confirm(
        &self,
        url: &Url,
        before: RuntimeInfo,
        is_outdated: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let failed = before.failed();
        // After a failure, another one changes nothing visible: only the time shows it.
        let (patience, otherwise) = if failed {
            (self.patience.min(self.timeout), Error::Refused)
        } else {
            (self.patience, Error::Unseen)
        };
        let alone = Deadline::after(ALONE);
        let verdict = clock::wait_for(patience, PAUSE, || match RuntimeInfo::ask(url, self.timeout) {
            Ok(after) => match after.since(before) {
                ReloadState::Loaded => Some(Ok(())),
                ReloadState::Refused => Some(Err(Error::Refused)),
                ReloadState::Open if failed && alone.left().is_zero() && is_outdated() => {
                    Some(Err(Error::Outdated))
                }
                ReloadState::Open => None,
            },
            Err(error) => Some(Err(error)),
        });
        verdict.unwrap_or(Err(otherwise))
    }
}

fn signal(process: &str) -> Result<(), Error> {
    let pid = neighbour::find(process).map_err(Error::Signal)?;
    neighbour::hang_up(pid.ok_or_else(|| Error::NoProcess(process.into()))?).map_err(Error::Signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_neighbour_says_is_in_the_log_without_quotations_and_nowhere_else() {
        let error = Error::Rejected {
            status: 500,
            phrase: "Internal Server Error".into(),
            body: b"line 12: cannot unmarshal `hunter2`\n".to_vec(),
        };
        assert_eq!(
            error.to_string(),
            "the reload was answered 500 Internal Server Error: line 12: cannot unmarshal \"…\""
        );
        let message = "the reload was answered 500 (line 12); the log of the reloader says more".into();
        assert_eq!(error.failure(), Failure { reason: Reason::Rejected, message });
    }

    #[test]
    fn a_process_that_is_not_there_is_named() {
        let method = Method::Signal { process: "no-such-program-here".into(), runtime_info: None };
        let trigger = Trigger { method, timeout: Duration::from_secs(1), patience: Duration::ZERO };
        let failure = trigger.reload(&mut || false).unwrap_err().failure();
        assert_eq!(failure.reason, Reason::NoProcess);
    }
}
