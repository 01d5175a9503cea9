//! A configuration that the user wrote. One that Alertmanager would reject is rejected here: Alertmanager would keep its
//! previous configuration, and users would not notice.

use formats::alertmanager::route::Route;
use formats::alertmanager::{Config, check};
use formats::yaml::serde::Error as ReadError;

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RawConfigurationError {
    /// The text cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Alertmanager would reject it.
    #[error(transparent)]
    Rejected(#[from] check::ConfigError),
    /// The root route is invalid.
    #[error("check AlertmanagerConfig root route failed: {0}")]
    Root(#[from] InvalidRoot),
}

/// Why a root route is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InvalidRoot {
    #[error("root route must exist")]
    Missing,
    #[error("cannot have continue in root route")]
    Continues,
    #[error("root route's receiver must exist")]
    NoReceiver,
    #[error("'matchers' not permitted on root route")]
    Matchers,
    #[error("'mute_time_intervals' not permitted on root route")]
    MuteTimes,
    #[error("'active_time_intervals' not permitted on root route")]
    ActiveTimes,
}

/// Reads and checks what the user wrote.
pub fn read(text: &str) -> Result<Config, RawConfigurationError> {
    let config = Config::from_text(text)?;
    check::check(&config, text)?;
    check_root(config.route.as_ref())?;
    Ok(config)
}

/// Rejects a root route that does not match every alert.
pub fn check_root(root: Option<&Route>) -> Result<(), InvalidRoot> {
    let root = root.ok_or(InvalidRoot::Missing)?;
    let has_matchers = !root.matchers.is_empty() || !root.match_.is_empty() || !root.match_re.is_empty();
    for (is_invalid, problem) in [
        (root.continue_, InvalidRoot::Continues),
        (root.receiver.is_empty(), InvalidRoot::NoReceiver),
        (has_matchers, InvalidRoot::Matchers),
        (!root.mute_time_intervals.is_empty(), InvalidRoot::MuteTimes),
        (!root.active_time_intervals.is_empty(), InvalidRoot::ActiveTimes),
    ] {
        if is_invalid {
            return Err(problem);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_route_matches_every_alert() {
        let root = || Route { receiver: "a".into(), ..Route::default() };
        let names = || vec!["x".to_owned()];
        assert_eq!(check_root(Some(&root())), Ok(()));
        assert_eq!(check_root(None), Err(InvalidRoot::Missing));
        for (route, problem) in [
            (Route { continue_: true, ..root() }, InvalidRoot::Continues),
            (Route::default(), InvalidRoot::NoReceiver),
            (Route { matchers: names(), ..root() }, InvalidRoot::Matchers),
            (Route { match_re: [("a".into(), "b".into())].into(), ..root() }, InvalidRoot::Matchers),
            (Route { mute_time_intervals: names(), ..root() }, InvalidRoot::MuteTimes),
            (Route { active_time_intervals: names(), ..root() }, InvalidRoot::ActiveTimes),
        ] {
            assert_eq!(check_root(Some(&route)), Err(problem));
        }
    }

    #[test]
    fn texts_of_the_user_are_kept() {
        let text = "route: {receiver: 0123}\nreceivers:\n- name: 0123\n  webhook_configs: [{url: 'http://a/{{ .X }}', \
                    send_resolved: no}]\n";
        let expected = "route:\n  receiver: \"0123\"\nreceivers:\n- name: \"0123\"\n  webhook_configs:\n  - send_resolved: \
                        false\n    url: http://a/{{ .X }}\ntemplates: []\n";
        assert_eq!(read(text).unwrap().to_text().unwrap(), expected);
    }
}
