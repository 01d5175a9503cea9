//! Amazon SNS.

use api_monitoring::alertmanager_config::receiver::sns::SnsConfig;
use api_monitoring::auth::Sigv4 as Resource;
use formats::alertmanager::fit::has_external_id;
use formats::alertmanager::receiver::sns::{Sigv4, Sns};
use formats::alertmanager::secret::Secret;

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn sns(&self, config: &SnsConfig) -> Result<Sns, Error> {
        Ok(Sns {
            send_resolved: config.send_resolved,
            attributes: config.attributes.clone(),
            api_url: or_empty(config.api_url.as_ref()),
            topic_arn: or_empty(config.topic_arn.as_ref()),
            phone_number: or_empty(config.phone_number.as_ref()),
            target_arn: or_empty(config.target_arn.as_ref()),
            subject: or_empty(config.subject.as_ref()),
            message: or_empty(config.message.as_ref()),
            use_aws_http_client: config.use_awshttp_client.unwrap_or_default(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            sigv4: config.sigv4.as_ref().map(|sigv4| self.sigv4(sigv4)).transpose()?.unwrap_or_default(),
        })
    }

    fn sigv4(&self, sigv4: &Resource) -> Result<Sigv4, Error> {
        let (access_key, secret_key) = match (&sigv4.access_key, &sigv4.secret_key) {
            (Some(access), Some(secret)) => {
                (self.secret("access key", access)?, self.secret("AWS secret key", secret)?)
            }
            (Some(_), None) | (None, _) => (Secret::default(), Secret::default()),
        };
        // A version without this field does not mind that it comes without a role.
        let external_id =
            if has_external_id(self.version) { sigv4.external_id.clone() } else { String::new() };
        Ok(Sigv4 {
            region: sigv4.region.clone(),
            access_key,
            secret_key,
            profile: sigv4.profile.clone(),
            role_arn: sigv4.role_arn.clone(),
            external_id,
        })
    }
}
