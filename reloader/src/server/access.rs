//! Who may ask: users and passwords, the latter known only as hashes of bcrypt.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::content::Digest;

/// So many callers are recognised without the work of bcrypt.
const REMEMBERED: usize = 32;

/// Checked for unknown users, so that the response time does not reveal which users exist.
const NOBODY: &str = "$2b$10$abcdefghijklmnopqrstuuo.e0RjGZjc9kXbSaz4YdQCcJEhf4ORq";

/// Remembers successful logins. One password is checked at a time, because that is expensive by design.
#[derive(Debug, Default)]
pub(super) struct Access(Mutex<Vec<Digest>>);

impl Access {
    /// Whether the header `Authorization` names one of the users, with the correct password.
    pub(super) fn allows(&self, users: &BTreeMap<String, String>, authorization: Option<&[u8]>) -> bool {
        let Some((user, password)) = authorization.and_then(credentials) else { return false };
        let known = users.get(&user);
        let hash = known.map_or(NOBODY, String::as_str);
        let proof =
            Digest::of([hash.as_bytes(), b"\0", user.as_bytes(), b"\0", &password].concat().as_slice());
        let mut right = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if right.contains(&proof) {
            return true;
        }
        let allowed = bcrypt::verify(&password, hash).unwrap_or_default() && known.is_some();
        if allowed {
            if right.len() == REMEMBERED {
                right.remove(0);
            }
            right.push(proof);
        }
        allowed
    }
}

fn credentials(authorization: &[u8]) -> Option<(String, Vec<u8>)> {
    let (scheme, rest) = authorization.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return None;
    }
    let pair = BASE64_STANDARD.decode(rest.trim_ascii()).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some((String::from_utf8(pair[..colon].to_vec()).ok()?, pair[colon + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(pair: &str) -> Vec<u8> {
        format!("Basic {}", BASE64_STANDARD.encode(pair)).into_bytes()
    }

    #[test]
    fn only_the_right_password_of_a_user_lets_in() {
        let users = BTreeMap::from([(
            "me".to_owned(),
            bcrypt::hash_with_salt("a:b", 4, [7; 16]).unwrap().to_string(),
        )]);
        let access = Access::default();
        let allows = |header: &[u8]| access.allows(&users, Some(header));
        assert!(!allows(&header("me:wrong")));
        assert!(allows(&header("me:a:b")));
        assert!(allows(&header("me:a:b")), "remembered");
        assert!(!allows(&header("me:wrong")) && !allows(&header("you:a:b")) && !allows(&header("me")));
        assert!(!allows(b"Bearer abc") && !allows(b"Basic ???") && !access.allows(&users, None));
        let renewed = BTreeMap::from([(
            "me".to_owned(),
            bcrypt::hash_with_salt("new", 4, [8; 16]).unwrap().to_string(),
        )]);
        assert!(
            !access.allows(&renewed, Some(&header("me:a:b"))),
            "the old password is worth nothing any more"
        );
    }

    #[test]
    fn nobody_is_a_hash_like_any_other() {
        assert!(NOBODY.parse::<bcrypt::HashParts>().is_ok());
    }
}
