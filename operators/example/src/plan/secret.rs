//! The credentials: generated once, then left to the user, who may rotate them.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::metadata;
use crate::gather::Inputs;
use crate::validate::Valid;

pub(super) fn build(valid: &Valid, inputs: &Inputs) -> Secret {
    let bytes = |text: &str| ByteString(text.as_bytes().to_vec());
    let data = BTreeMap::from([
        ("username".into(), bytes(&inputs.credentials.username)),
        ("password".into(), bytes(&inputs.credentials.password)),
    ]);
    Secret { metadata: metadata(valid, inputs.names.secret.clone()), data: Some(data), ..Secret::default() }
}
