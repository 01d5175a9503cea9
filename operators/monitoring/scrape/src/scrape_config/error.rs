//! Why a ScrapeConfig cannot be written.

use std::fmt;

use monitoring_assets::Missing;

/// Why a ScrapeConfig cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A discovery cannot do without a Secret that is not there.
    #[error("failed to {} {job}: {}", credential.tried(missing), Absent { namespace, missing })]
    Credential {
        /// What the Secret was needed for.
        credential: Credential,
        /// The name of the job.
        job: String,
        /// The namespace of the Secret.
        namespace: String,
        /// What is missing.
        missing: Missing,
    },
}

/// What a discovery needs a Secret for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// A token or a password.
    Secret,
    /// One of the two keys of Amazon.
    AccessKey,
    /// The secret of an Azure application.
    ClientSecret,
}

impl Credential {
    /// What was tried, in the words that users search for.
    fn tried(self, missing: &Missing) -> String {
        let (Missing::Object { name, .. } | Missing::Forbidden { name, .. } | Missing::Key { name, .. }) =
            missing;
        match self {
            Self::Secret => format!("read {name} secret"),
            Self::AccessKey => format!("get {name} access key"),
            Self::ClientSecret => format!("get {name} client secret"),
        }
    }
}

/// What is missing, named by namespace and name: many namespaces meet in one configuration.
struct Absent<'e> {
    namespace: &'e str,
    missing: &'e Missing,
}

impl fmt::Display for Absent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace;
        match self.missing {
            Missing::Object { source_kind, name } => write!(f, "{source_kind} {namespace}/{name} not found"),
            Missing::Forbidden { source_kind, name } => {
                write!(
                    f,
                    "{source_kind} {namespace}/{name} may not be read: grant the operator get on {source_kind}s there"
                )
            }
            Missing::Key { source_kind, name, key } => {
                write!(f, "key {key:?} in {source_kind} {namespace}/{name} not found")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use monitoring_assets::Source;

    use super::*;

    fn told(credential: Credential, missing: Missing) -> String {
        let (job, namespace) = ("scrapeConfig/default/web".to_owned(), "default".to_owned());
        Error::Credential { credential, job, namespace, missing }.to_string()
    }

    #[test]
    fn a_missing_secret_is_named_with_its_namespace() {
        let missing = Missing::Object { source_kind: Source::Secret, name: "keys".to_owned() };
        assert_eq!(
            told(Credential::AccessKey, missing.clone()),
            "failed to get keys access key scrapeConfig/default/web: secret default/keys not found"
        );
        assert_eq!(
            told(Credential::ClientSecret, missing),
            "failed to get keys client secret scrapeConfig/default/web: secret default/keys not found"
        );
    }

    #[test]
    fn a_missing_key_is_named_with_its_secret() {
        let missing =
            Missing::Key { source_kind: Source::Secret, name: "keys".to_owned(), key: "token".to_owned() };
        assert_eq!(
            told(Credential::Secret, missing),
            "failed to read keys secret scrapeConfig/default/web: key \"token\" in secret default/keys not found"
        );
    }
}
