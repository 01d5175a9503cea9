//! The three durations of an election, and which combinations are safe.

use std::time::Duration;

/// How an election behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElectionSettings {
    /// How long other candidates wait after the last renewal that they saw. Written into the lease, so in whole seconds.
    pub duration: Duration,
    /// How long a holder writes after it started the last renewal that succeeded.
    pub renew_deadline: Duration,
    /// How often a holder renews and a candidate retries.
    pub retry: Duration,
}

impl Default for ElectionSettings {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

/// Why settings are rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The lease's field holds whole seconds.
    #[error("the lease duration must be between 1 s and 1 day, in whole seconds, and is {0:?}")]
    Duration(Duration),
    /// A holder would still write when another one starts.
    #[error("the renew deadline ({renew_deadline:?}) must be shorter than the lease duration ({duration:?})")]
    Deadline {
        /// The deadline.
        renew_deadline: Duration,
        /// What it must be below.
        duration: Duration,
    },
    /// One slow answer would end the term.
    #[error(
        "the retry period ({retry:?}) must be above zero and at most half of the renew deadline ({renew_deadline:?})"
    )]
    Retry {
        /// The period.
        retry: Duration,
        /// What it must fit into twice.
        renew_deadline: Duration,
    },
}

impl ElectionSettings {
    /// Itself, if safe.
    pub fn checked(self) -> Result<Self, SettingsError> {
        let Self { duration, renew_deadline, retry } = self;
        if duration.subsec_nanos() != 0 || !(1..=86_400).contains(&duration.as_secs()) {
            return Err(SettingsError::Duration(duration));
        }
        if renew_deadline >= duration {
            return Err(SettingsError::Deadline { renew_deadline, duration });
        }
        if retry.is_zero() || retry > renew_deadline / 2 {
            return Err(SettingsError::Retry { retry, renew_deadline });
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(duration: u64, renew_deadline: u64, retry: u64) -> ElectionSettings {
        let seconds = Duration::from_millis;
        ElectionSettings {
            duration: seconds(duration),
            renew_deadline: seconds(renew_deadline),
            retry: seconds(retry),
        }
    }

    #[test]
    fn only_safe_settings_are_accepted() {
        assert_eq!(ElectionSettings::default().checked(), Ok(ElectionSettings::default()));
        let refused = [
            (0, 0, 0, "the lease duration must be between 1 s and 1 day, in whole seconds, and is 0ns"),
            (
                1500,
                900,
                200,
                "the lease duration must be between 1 s and 1 day, in whole seconds, and is 1.5s",
            ),
            (10_000, 10_000, 2000, "the renew deadline (10s) must be shorter than the lease duration (10s)"),
            (
                15_000,
                10_000,
                0,
                "the retry period (0ns) must be above zero and at most half of the renew deadline (10s)",
            ),
            (
                15_000,
                10_000,
                6000,
                "the retry period (6s) must be above zero and at most half of the renew deadline (10s)",
            ),
        ];
        for (duration, renew_deadline, retry, words) in refused {
            let error = settings(duration, renew_deadline, retry).checked().unwrap_err();
            assert_eq!(error.to_string(), words);
        }
    }
}
