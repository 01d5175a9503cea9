//! The Secrets with certificates and keys that a configuration refers to. A Secret holds at most one mebibyte, so there may be
//! several; pods mount all of them into one directory.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use crate::workload::metadata::{self, Owner};
use crate::workload::operator::OperatorConfig;

/// The maximum size of the files of a Secret: less than the limit of the API server, which also counts names and labels.
const LARGEST: usize = 1024 * 1024 - 50_000;

/// The Secrets for files by name. There is at least one, because pods mount it.
pub fn build(
    owner: Owner<'_>,
    operator: &OperatorConfig,
    prefix: &str,
    files: BTreeMap<String, Vec<u8>>,
) -> Vec<Secret> {
    let secret = |(number, files): (usize, BTreeMap<String, Vec<u8>>)| Secret {
        metadata: metadata::content(owner, operator, name(prefix, number)),
        data: Some(files.into_iter().map(|(file, bytes)| (file, ByteString(bytes))).collect()),
        ..Secret::default()
    };
    parts(files, LARGEST).into_iter().enumerate().map(secret).collect()
}

/// The name of one of the Secrets.
pub fn name(prefix: &str, number: usize) -> String {
    format!("{prefix}-tls-assets-{number}")
}

/// The files in order, in parts that are as large as possible.
fn parts(files: BTreeMap<String, Vec<u8>>, largest: usize) -> Vec<BTreeMap<String, Vec<u8>>> {
    let mut parts = Vec::new();
    let (mut part, mut size) = (BTreeMap::new(), 0);
    for (name, bytes) in files {
        let added = name.len() + bytes.len();
        if size + added > largest {
            parts.push(std::mem::take(&mut part));
            size = 0;
        }
        size += added;
        part.insert(name, bytes);
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(files: &[(&str, usize)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(name, size)| ((*name).to_owned(), vec![0; *size])).collect();
        parts(files, 10).into_iter().map(|part| part.into_keys().collect()).collect()
    }

    #[test]
    fn files_are_packed_in_order() {
        assert_eq!(sizes(&[]), [Vec::<String>::new()]);
        assert_eq!(sizes(&[("a", 4), ("b", 4), ("c", 4)]), [vec!["a", "b"], vec!["c"]]);
    }

    #[test]
    fn a_file_that_is_too_large_alone_leaves_an_empty_secret_before_it() {
        assert_eq!(sizes(&[("a", 40)]), [Vec::<&str>::new(), vec!["a"]]);
    }
}
