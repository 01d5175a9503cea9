//! Cases that the recorded configurations do not contain.
//!
//! | file | owns |
//! |---|---|
//! | `values` | unusual values and missing Secrets |
//! | `versions` | fields in the version that introduced them, and in the one before |

mod values;
mod versions;

use std::collections::BTreeMap;

use api_monitoring::scrape_config::ScrapeConfigSpec;
use formats::prometheus::{SectionKind, SectionWriter};
use formats::{version, yaml};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Secret, SecretKeySelector};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_assets::{Objects, Reader};

use crate::client::Client;

/// One Secret, `keys`, with a key `known`.
fn objects() -> Objects {
    let metadata =
        ObjectMeta { namespace: Some("default".into()), name: Some("keys".into()), ..ObjectMeta::default() };
    let data = BTreeMap::from([("known".to_owned(), ByteString(b"secret".to_vec()))]);
    let mut objects = Objects::default();
    objects.add_secret(Secret { metadata, data: Some(data), ..Secret::default() });
    objects
}

/// A key of it.
fn key(key: &str) -> SecretKeySelector {
    SecretKeySelector { name: "keys".into(), key: key.into(), optional: None }
}

/// The lists as they are in the file, then a line for each field that was left out; or why there are none.
fn written(version: &str, spec: &ScrapeConfigSpec) -> Result<String, String> {
    let version = version::parse(version).unwrap();
    let writer = SectionWriter::new(&version);
    let objects = objects();
    let reader = Reader::new(&objects, "default");
    let client = Client { reader: &reader, inline_tls: false };
    let mut job = writer.section(SectionKind::Job);
    super::put(&mut job, "scrapeConfig/default/web", &client, spec).map_err(|error| error.to_string())?;
    let left_out = writer.left_out().into_iter().map(|left_out| format!("{left_out}\n"));
    Ok(yaml::write(&job.into()) + &left_out.collect::<String>())
}
