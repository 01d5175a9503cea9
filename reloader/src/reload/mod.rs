//! Reloads the server, and checks whether it loaded the configuration.

mod redact;
mod runtime_info;
mod signal;

use std::time::Duration;

use thiserror::Error;

use crate::client;
use crate::clock::{self, Deadline};
use crate::flags::Method;
use crate::report::{Failure, Reason};
use crate::url::Url;
use runtime_info::{ReloadState, RuntimeInfo};

/// The time between two requests for the runtime information.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a process has for one signal, even if the files change: the effects of two signals cannot be distinguished.
const MIN_WAIT: Duration = Duration::from_secs(3);

/// How long to wait before a signal until the second of the last reload has ended. A longer wait would only help after
/// the clock was set back.
const SECOND: Duration = Duration::from_secs(1);

/// The time between two checks whether that second has ended.
const SECOND_PAUSE: Duration = Duration::from_millis(20);

/// Why a reload failed. The text is for the log: it contains the redacted answer of the server.
#[derive(Debug, Error)]
pub enum Error {
    /// The POST request failed.
    #[error("the reload was not answered")]
    Post(#[source] client::Error),
    /// The answer is an error.
    #[error("the reload was answered {status} {}: {}", redact::redacted(.phrase.as_bytes()), redact::redacted(.body))]
    Rejected {
        /// The status code.
        status: u16,
        /// The reason phrase.
        phrase: String,
        /// The body.
        body: Vec<u8>,
    },
    /// There is no such process.
    #[error("no process is named {0:?}; the pod needs shareProcessNamespace")]
    NoProcess(String),
    /// The signal could not be sent.
    #[error("cannot send a signal")]
    Signal(#[source] std::io::Error),
    /// The request for the runtime information failed.
    #[error("cannot get the runtime information")]
    Ask(#[source] client::Error),
    /// The runtime information is not usable.
    #[error("cannot use the runtime information: {0}")]
    Info(String),
    /// The server rejected the configuration.
    #[error("the configuration was not loaded: the log of the process says why")]
    Refused,
    /// The signal had no visible effect.
    #[error("a signal was sent, but no reload was seen")]
    Unseen,
    /// The files changed again.
    #[error("a signal was sent, but the files changed before a reload was seen")]
    Outdated,
}

impl Error {
    /// The failure for metrics and `/status`, without any text of the server.
    pub fn failure(&self) -> Failure {
        let reason = match self {
            Self::Post(error) | Self::Ask(error) if error.is_timeout() => Reason::Timeout,
            Self::Post(_) | Self::Ask(_) => Reason::Unreachable,
            Self::Rejected { .. } | Self::Refused => Reason::Rejected,
            Self::NoProcess(_) | Self::Signal(_) => Reason::NoProcess,
            Self::Info(_) | Self::Unseen | Self::Outdated => Reason::Unconfirmed,
        };
        let message = if let Self::Rejected { status, body, .. } = self {
            let lines: Vec<String> = redact::line_numbers(body).iter().map(ToString::to_string).collect();
            let lines =
                if lines.is_empty() { String::new() } else { format!(" (line {})", lines.join(", ")) };
            format!("the reload was answered {status}{lines}; the log of the reloader says more")
        } else {
            crate::log::chain(self)
        };
        Failure { reason, message }
    }
}

/// Reloads the server.
#[derive(Debug)]
pub struct Trigger {
    /// The method.
    pub method: Method,
    /// The timeout of one request, and of a signal after a failed reload.
    pub timeout: Duration,
    /// How long to wait for the effect of a signal.
    pub signal_limit: Duration,
}

impl Trigger {
    /// The method, as a label.
    pub fn name(&self) -> &'static str {
        match self.method {
            Method::Http(_) => "http",
            Method::Signal { .. } => "signal",
        }
    }

    /// Reloads the server, and returns when it has loaded its configuration. `is_outdated` returns whether the files
    /// have changed meanwhile: then it is useless to wait longer.
    pub fn reload(&self, is_outdated: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        match &self.method {
            Method::Http(url) => self.post(url),
            Method::Signal { process, runtime_info: None } => send_signal(process),
            Method::Signal { process, runtime_info: Some(url) } => {
                let before = RuntimeInfo::get(url, self.timeout)?;
                clock::wait_for(SECOND, SECOND_PAUSE, || {
                    before.second_is_over(clock::timestamp()).then_some(())
                });
                send_signal(process)?;
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
        // A second failure in a row changes nothing in the runtime information: only the timeout detects it.
        let (limit, on_timeout) = if failed {
            (self.signal_limit.min(self.timeout), Error::Refused)
        } else {
            (self.signal_limit, Error::Unseen)
        };
        let min_wait = Deadline::after(MIN_WAIT);
        let result = clock::wait_for(limit, PAUSE, || match RuntimeInfo::get(url, self.timeout) {
            Ok(after) => match after.since(before) {
                ReloadState::Loaded => Some(Ok(())),
                ReloadState::Refused => Some(Err(Error::Refused)),
                ReloadState::Unknown if failed && min_wait.remaining().is_zero() && is_outdated() => {
                    Some(Err(Error::Outdated))
                }
                ReloadState::Unknown => None,
            },
            Err(error) => Some(Err(error)),
        });
        result.unwrap_or(Err(on_timeout))
    }
}

fn send_signal(process: &str) -> Result<(), Error> {
    let pid = signal::find(process).map_err(Error::Signal)?;
    signal::hang_up(pid.ok_or_else(|| Error::NoProcess(process.into()))?).map_err(Error::Signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_the_server_is_redacted_in_the_log_and_not_in_the_status() {
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
    fn a_missing_process_is_a_failure() {
        let method = Method::Signal { process: "no-such-program-here".into(), runtime_info: None };
        let trigger = Trigger { method, timeout: Duration::from_secs(1), signal_limit: Duration::ZERO };
        let failure = trigger.reload(&mut || false).unwrap_err().failure();
        assert_eq!(failure.reason, Reason::NoProcess);
    }
}
