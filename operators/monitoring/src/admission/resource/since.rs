//! What came with which version of Alertmanager.

use formats::version::Version;

use crate::admission::problem::{Problem, broken};

/// Comparisons by operator, credentials in headers, OAuth 2.0.
pub(super) const COMPARISONS: Version = Version::new(0, 22, 0);
pub(super) const AUTHORIZATION: Version = Version::new(0, 22, 0);
pub(super) const TEAMS_RESPONDER: Version = Version::new(0, 24, 0);
pub(super) const TELEGRAM: Version = Version::new(0, 24, 0);
pub(super) const PROXY: Version = Version::new(0, 25, 0);
pub(super) const DISCORD: Version = Version::new(0, 25, 0);
pub(super) const WEBEX: Version = Version::new(0, 25, 0);
pub(super) const BOT_TOKEN_FILE: Version = Version::new(0, 26, 0);
pub(super) const MSTEAMS: Version = Version::new(0, 26, 0);
pub(super) const MSTEAMS_V2: Version = Version::new(0, 28, 0);
pub(super) const ROCKETCHAT: Version = Version::new(0, 28, 0);
pub(super) const THREADING: Version = Version::new(0, 30, 0);
pub(super) const IMPLICIT_TLS: Version = Version::new(0, 31, 0);
pub(super) const MESSAGE_TEXT: Version = Version::new(0, 31, 0);
pub(super) const UPDATE_MESSAGE: Version = Version::new(0, 32, 0);
pub(super) const PAYLOAD: Version = Version::new(0, 32, 0);
pub(super) const AWS_CLIENT: Version = Version::new(0, 33, 0);

/// Refuses a field that is used and too new. The quote that closes nothing is the peer's.
pub(super) fn check(field: &str, used: bool, since: &Version, version: &Version) -> Result<(), Problem> {
    if used && version < since {
        return broken(format!("{field}' is available in Alertmanager >= {since} only - current {version}"));
    }
    Ok(())
}
