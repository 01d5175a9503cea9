//! Why the job of a ScrapeConfig cannot be written.

use std::fmt;

use monitoring_assets::{Missing, MissingReason, Reference};

/// Why the job of a ScrapeConfig cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScrapeConfigError {
    /// A Secret that a discovery needs cannot be read.
    #[error("failed to {} {job}: {}", credential.attempt(&missing.reference.name), Qualified(missing))]
    Credential {
        /// What the Secret was needed for.
        credential: Credential,
        /// The name of the job.
        job: String,
        /// What is missing.
        missing: Missing,
    },
}

/// What a discovery needs a Secret for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// A token or a password.
    Secret,
    /// One of the two keys of AWS.
    AccessKey,
    /// The secret of an Azure application.
    ClientSecret,
}

impl Credential {
    /// What was attempted, in the words of the Prometheus Operator.
    fn attempt(self, name: &str) -> String {
        match self {
            Self::Secret => format!("read {name} secret"),
            Self::AccessKey => format!("get {name} access key"),
            Self::ClientSecret => format!("get {name} client secret"),
        }
    }
}

/// What is missing, with namespace and name, since one configuration has jobs from many namespaces.
struct Qualified<'e>(&'e Missing);

impl fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reference { source, namespace, name } = &self.0.reference;
        match &self.0.reason {
            MissingReason::NotFound => write!(f, "{source} {namespace}/{name} not found"),
            MissingReason::Forbidden => {
                write!(f, "the operator needs permission to get {source} {namespace}/{name}")
            }
            MissingReason::NoKey(key) => write!(f, "key {key:?} in {source} {namespace}/{name} not found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(credential: Credential, reason: MissingReason) -> String {
        let missing = Missing { reference: Reference::secret("default", "keys"), reason };
        ScrapeConfigError::Credential { credential, job: "scrapeConfig/default/web".to_owned(), missing }
            .to_string()
    }

    #[test]
    fn a_missing_secret_is_named_with_its_namespace() {
        assert_eq!(
            message(Credential::AccessKey, MissingReason::NotFound),
            "failed to get keys access key scrapeConfig/default/web: secret default/keys not found"
        );
        assert_eq!(
            message(Credential::ClientSecret, MissingReason::NotFound),
            "failed to get keys client secret scrapeConfig/default/web: secret default/keys not found"
        );
    }

    #[test]
    fn a_missing_key_is_named_with_its_secret() {
        assert_eq!(
            message(Credential::Secret, MissingReason::NoKey("token".to_owned())),
            "failed to read keys secret scrapeConfig/default/web: key \"token\" in secret default/keys not found"
        );
    }
}
