//! The Secret with the certificates: one for all replicas. The API server resolves conflicts between them.

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kube::Api;
use kube::api::PostParams;

use super::bundle::{Bundle, BundleError};
use super::renewal::{Renewal, Wanted, decide};
use crate::web::TlsIdentity;

/// Why there are no certificates.
#[derive(Debug, thiserror::Error)]
pub enum CertificateStoreError {
    /// The Secret cannot be read.
    #[error("cannot read the Secret `{0}` with the webhook's certificates")]
    Read(String, #[source] kube::Error),
    /// The Secret cannot be written.
    #[error("cannot write the Secret `{0}` with the webhook's certificates")]
    Write(String, #[source] kube::Error),
    /// Certificates cannot be generated.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// Another client changes the Secret all the time.
    #[error("the Secret `{0}` with the webhook's certificates changes faster than it can be read")]
    Contended(String),
}

/// The Secret with the certificates.
#[derive(Debug, Clone)]
pub struct CertificateStore {
    /// Secrets of the operator's namespace.
    pub api: Api<Secret>,
    /// Name of the Secret.
    pub name: String,
    /// What is wanted.
    pub wanted: Wanted,
}

/// Each round performs one renewal, or loses a race against another replica. After many rounds another client probably
/// reverts the changes.
const ROUNDS: usize = 12;

impl CertificateStore {
    /// Generates and renews what is due. Returns the bundle, and when to check again at the latest.
    ///
    /// A replica that loses a race uses the certificates of the other one.
    pub async fn settle(&self, now: Timestamp) -> Result<(Bundle, Timestamp), CertificateStoreError> {
        for _ in 0..ROUNDS {
            let secret = self.api.get_opt(&self.name).await;
            let secret = secret.map_err(|error| CertificateStoreError::Read(self.name.clone(), error))?;
            let stored = secret.as_ref().and_then(usable);
            let inventory = stored.as_ref().map(Bundle::inventory).transpose()?;
            let renewal = decide(now, inventory.as_ref(), &self.wanted);
            if let (Renewal::Keep(until), Some(bundle)) = (renewal, &stored) {
                return Ok((bundle.clone(), until));
            }
            let bundle = Bundle::carry_out(stored, renewal, now, &self.wanted)?;
            match self.write(secret, &bundle).await {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                Err(error) => return Err(CertificateStoreError::Write(self.name.clone(), error)),
            }
        }
        Err(CertificateStoreError::Contended(self.name.clone()))
    }

    #[expect(clippy::disallowed_methods, reason = "the certificates of webhooks")]
    async fn write(&self, before: Option<Secret>, bundle: &Bundle) -> Result<Secret, kube::Error> {
        let parameters = PostParams::default();
        if let Some(before) = before {
            // With the version that was read: the write of a faster replica is not overwritten.
            let secret = Secret { data: Some(bundle.write()), ..before };
            return self.api.replace(&self.name, &parameters, &secret).await;
        }
        let secret = Secret {
            metadata: ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() },
            type_: Some("kubernetes.io/tls".into()),
            data: Some(bundle.write()),
            ..Secret::default()
        };
        self.api.create(&parameters, &secret).await
    }
}

/// The bundle of a Secret, if it is valid: a damaged one is generated again.
fn usable(secret: &Secret) -> Option<Bundle> {
    let bundle = Bundle::read(secret.data.as_ref()?).ok()?;
    bundle.inventory().ok()?;
    TlsIdentity::of(&bundle.serving).ok()?;
    TlsIdentity::of(&bundle.authority).ok()?;
    Some(bundle)
}
