//! Authentication of remote write with Azure.

use api_monitoring::auth::AzureAd;

use crate::problem::{Problem, broken};
use crate::server::Server;

/// Checks that exactly one method is used, and that the version has it.
pub(super) fn check(server: &Server<'_>, azure: &AzureAd) -> Result<(), Problem> {
    check_ways(azure)?;
    if let Some(identity) = &azure.managed_identity
        && server.is_before(3, 5, 0)
        && identity.client_id.as_deref().is_none_or(str::is_empty)
    {
        return broken(format!(
            "managedIdentidy: clientId is required with Prometheus < 3.5.0, current = {}",
            server.version
        ));
    }
    if let Some(oauth) = &azure.oauth {
        if server.is_before(2, 48, 0) {
            return broken("azureAD.oauth requires Prometheus >= v2.48.0");
        }
        if !is_uuid(&oauth.client_id) {
            return broken("the provided Azure OAuth clientId is invalid");
        }
    }
    if azure.sdk.is_some() && server.is_before(2, 52, 0) {
        return broken("azureAD.sdk requires Prometheus >= v2.52.0");
    }
    if let Some(identity) = &azure.workload_identity {
        if server.is_before(3, 7, 0) {
            return broken("azureAD.workloadIdentity requires Prometheus >= v3.7.0");
        }
        if !is_uuid(&identity.client_id) {
            return broken("the provided Azure Workload Identity clientId is invalid");
        }
        if !is_uuid(&identity.tenant_id) {
            return broken("the provided Azure Workload Identity tenantId is invalid");
        }
    }
    Ok(())
}

fn check_ways(azure: &AzureAd) -> Result<(), Problem> {
    let managed = ("Azure Managed Identity", azure.managed_identity.is_some());
    let oauth = ("Azure OAuth", azure.oauth.is_some());
    let sdk = ("Azure SDK", azure.sdk.is_some());
    let workload = ("Azure Workload Identity", azure.workload_identity.is_some());
    if ![managed, oauth, sdk, workload].iter().any(|way| way.1) {
        return broken(
            "must provide Azure Managed Identity, Azure OAuth, Azure SDK, or Azure Workload Identity in the Azure AD config",
        );
    }
    let pairs = [
        (managed, oauth),
        (oauth, sdk),
        (managed, sdk),
        (managed, workload),
        (oauth, workload),
        (sdk, workload),
    ];
    match pairs.into_iter().find(|(one, other)| one.1 && other.1) {
        Some((one, other)) => {
            broken(format!("cannot provide both {} and {} in the Azure AD config", one.0, other.0))
        }
        None => Ok(()),
    }
}

/// Whether a text is a UUID in one of its four forms: plain, with dashes, in braces, or with `urn:uuid:` before it.
fn is_uuid(text: &str) -> bool {
    let with_dashes = |text: &str| {
        text.len() == 36
            && text.bytes().enumerate().all(|(index, byte)| match index {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    match text.len() {
        32 => text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        36 => with_dashes(text),
        // The first and the last character are not checked.
        38 => text.get(1..37).is_some_and(with_dashes),
        45 => {
            text.get(..9).is_some_and(|prefix| prefix.eq_ignore_ascii_case("urn:uuid:"))
                && with_dashes(&text[9..])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_have_four_forms() {
        let plain = "00000000-0a00-0000-0000-0000000000aB";
        for good in [plain, &plain.replace('-', ""), &format!("{{{plain}}}"), &format!("URN:uuid:{plain}")] {
            assert!(is_uuid(good), "{good}");
        }
        for bad in ["", "x", &plain[1..], &plain.replace('a', "g"), &format!("urn:uuix:{plain}")] {
            assert!(!is_uuid(bad), "{bad}");
        }
    }
}
