//! Names of volumes, made from names of objects, which may be longer and contain dots.

use crate::web::hash::xxh64;

/// The maximum length of the name of a volume.
const LONGEST: usize = 63;

/// The length of the hash, with the hyphen before it.
const HASH: usize = 9;

/// A name that cannot be converted to the name of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
     with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)]
pub struct NotAVolumeName;

/// The prefix and the name, truncated. Long names with the same beginning give the same name.
pub fn plain(prefix: &str, name: &str) -> Result<String, NotAVolumeName> {
    let mut label = sanitized(prefix, name);
    label.truncate(LONGEST);
    checked(label)
}

/// The prefix and the name, truncated, and a hash of the whole name.
pub fn unique(prefix: &str, name: &str) -> Result<String, NotAVolumeName> {
    let mut label = sanitized(prefix, name);
    label.truncate(LONGEST - HASH);
    let hash = format!("-{:x}", xxh64(name.as_bytes()));
    label.extend(hash.chars().take(HASH));
    checked(label)
}

/// Lowercase letters, digits and hyphens: other characters become one hyphen, and hyphens at both ends are removed.
fn sanitized(prefix: &str, name: &str) -> String {
    let prefix = prefix.trim_end_matches('-');
    let separator = if prefix.is_empty() { "" } else { "-" };
    let mut label = String::with_capacity(prefix.len() + name.len() + 1);
    let mut replaced = false;
    for character in [prefix, separator, name].into_iter().flat_map(str::chars) {
        let character = character.to_ascii_lowercase();
        let stays = character.is_ascii_alphanumeric() || character == '-';
        if stays {
            label.push(character);
        } else if !replaced {
            label.push('-');
        }
        replaced = !stays;
    }
    label.trim_matches('-').to_owned()
}

fn checked(label: String) -> Result<String, NotAVolumeName> {
    if label.is_empty() || label.starts_with('-') || label.ends_with('-') {
        return Err(NotAVolumeName);
    }
    Ok(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_characters_are_replaced() {
        for (prefix, name, label) in [
            ("secret", "Test.Secret", "secret-test-secret"),
            ("secret-", "a..b", "secret-a-b"),
            ("secret--", "a--b", "secret-a--b"),
            ("", "_a_", "a"),
            ("configmap", "", "configmap"),
        ] {
            assert_eq!(plain(prefix, name).as_deref(), Ok(label), "{prefix} {name}");
        }
        assert_eq!(plain("", "..."), Err(NotAVolumeName));
    }

    #[test]
    fn a_long_name_is_truncated() {
        assert_eq!(plain("secret", &"a".repeat(100)), Ok(format!("secret-{}", "a".repeat(56))));
        // The truncated name may end with a hyphen.
        assert_eq!(plain("secret", &format!("{}-tail", "a".repeat(55))), Err(NotAVolumeName));
    }

    #[test]
    fn a_hash_distinguishes_long_names() {
        assert_eq!(unique("", "test").as_deref(), Ok("test-4fdcca5d"));
        let (one, other) = (format!("{}x", "a".repeat(100)), format!("{}y", "a".repeat(100)));
        let (one, other) = (unique("web", &one).unwrap(), unique("web", &other).unwrap());
        assert_eq!((one.len(), other.len()), (63, 63));
        assert_ne!(one, other);
        assert_eq!(unique("", "."), Err(NotAVolumeName));
        assert_eq!(
            unique("web-config-tls-secret-key-", "").as_deref(),
            Ok("web-config-tls-secret-key-ef46db37")
        );
    }
}
