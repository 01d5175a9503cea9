//! Remote write and remote read.

use api_monitoring::prometheus::remote::{RemoteReadSpec, RemoteWriteSpec};

use super::azure;
use crate::problem::{Problem, Within, broken};
use crate::proxy;
use crate::references::References;
use crate::server::Server;

/// Checks remote write.
pub(super) fn check_writes(
    server: &Server<'_>,
    writes: &[RemoteWriteSpec],
    references: &References<'_>,
) -> Result<(), Problem> {
    for (index, write) in writes.iter().enumerate() {
        check_write(server, write, references).within(format_args!("remoteWrite[{index}]"))?;
    }
    Ok(())
}

fn check_write(
    server: &Server<'_>,
    write: &RemoteWriteSpec,
    references: &References<'_>,
) -> Result<(), Problem> {
    check_one_way(&[
        ("basicAuth", write.basic_auth.is_some()),
        ("oauth2", write.oauth2.is_some()),
        ("authorization", write.authorization.is_some()),
        ("sigv4", write.sigv4.is_some()),
        ("azureAd", write.azure_ad.is_some()),
    ])?;
    if let Some(azure) = &write.azure_ad {
        azure::check(server, azure)?;
    }
    proxy::check(&write.proxy)?;
    references.basic_auth(write.basic_auth.as_ref())?;
    references.oauth2(write.oauth2.as_ref())?;
    references.tls(write.tls_config.as_ref())?;
    references.authorization(write.authorization.as_ref())?;
    references.sigv4(write.sigv4.as_ref())?;
    references.azure(write.azure_ad.as_ref())?;
    references.proxy_headers(&write.proxy)
}

/// Checks remote read.
pub(super) fn check_reads(reads: &[RemoteReadSpec], references: &References<'_>) -> Result<(), Problem> {
    for (index, read) in reads.iter().enumerate() {
        check_read(read, references).within(format_args!("remoteRead[{index}]"))?;
    }
    Ok(())
}

fn check_read(read: &RemoteReadSpec, references: &References<'_>) -> Result<(), Problem> {
    references.basic_auth(read.basic_auth.as_ref())?;
    references.oauth2(read.oauth2.as_ref())?;
    references.tls(read.tls_config.as_ref())?;
    references.authorization(read.authorization.as_ref())?;
    references.proxy(&read.proxy)
}

/// Checks that a client authenticates in at most one way, and names all that it uses.
pub(super) fn check_one_way(ways: &[(&str, bool)]) -> Result<(), Problem> {
    let used: Vec<String> =
        ways.iter().filter(|(_, is_used)| *is_used).map(|(name, _)| format!("\"{name}\"")).collect();
    if used.len() > 1 {
        let used = used.join(" and ");
        return broken(format!("{used} can't be set at the same time, at most one of them must be defined"));
    }
    Ok(())
}
