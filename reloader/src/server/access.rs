//! Authentication of requests: users, and the bcrypt hashes of their passwords.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::content::Digest;

/// How many successful logins are cached, because bcrypt is slow.
const CACHED: usize = 32;

/// The hash that is checked for unknown users, so that the response time does not reveal which users exist.
const DUMMY_HASH: &str = "$2b$10$abcdefghijklmnopqrstuuo.e0RjGZjc9kXbSaz4YdQCcJEhf4ORq";

/// Caches successful logins. Only one password is checked at a time, because that is expensive.
#[derive(Debug, Default)]
pub(super) struct Access(Mutex<Vec<Digest>>);

impl Access {
    /// Whether the header `Authorization` has the name and the password of one of the users.
    pub(super) fn allows(&self, users: &BTreeMap<String, String>, authorization: Option<&[u8]>) -> bool {
        let Some((user, password)) = authorization.and_then(credentials) else { return false };
        let known = users.get(&user);
        let hash = known.map_or(DUMMY_HASH, String::as_str);
        let proof =
            Digest::of([hash.as_bytes(), b"\0", user.as_bytes(), b"\0", &password].concat().as_slice());
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if verified.contains(&proof) {
            return true;
        }
        let allowed = bcrypt::verify(&password, hash).unwrap_or_default() && known.is_some();
        if allowed {
            if verified.len() == CACHED {
                verified.remove(0);
            }
            verified.push(proof);
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
    fn only_the_password_of_a_user_is_accepted() {
        let users = BTreeMap::from([(
            "me".to_owned(),
            bcrypt::hash_with_salt("a:b", 4, [7; 16]).unwrap().to_string(),
        )]);
        let access = Access::default();
        let allows = |header: &[u8]| access.allows(&users, Some(header));
        assert!(!allows(&header("me:wrong")));
        assert!(allows(&header("me:a:b")));
        assert!(allows(&header("me:a:b")), "from the cache");
        assert!(!allows(&header("me:wrong")) && !allows(&header("you:a:b")) && !allows(&header("me")));
        assert!(!allows(b"Bearer abc") && !allows(b"Basic ???") && !access.allows(&users, None));
        let renewed = BTreeMap::from([(
            "me".to_owned(),
            bcrypt::hash_with_salt("new", 4, [8; 16]).unwrap().to_string(),
        )]);
        assert!(!access.allows(&renewed, Some(&header("me:a:b"))), "the old password is refused");
    }

    #[test]
    fn the_dummy_hash_is_a_valid_hash() {
        assert!(DUMMY_HASH.parse::<bcrypt::HashParts>().is_ok());
    }
}
