//! The jobs of one resource, as bytes of the file. A fragment depends only on its resource, on the workload and on the
//! references: a cached one is valid until one of these changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use formats::prometheus::{SectionWriter, UnsupportedField};
use formats::yaml::{self, Value};
use monitoring_assets::{Reader, Reference};

/// The jobs of one resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Elements of `scrape_configs`, as they are in the file; empty if the resource has no job.
    pub text: Arc<str>,
    /// The references of the resource, whether the objects exist or not.
    pub references: BTreeSet<Reference>,
    /// The fields of the resource that the version does not have.
    pub left_out: Vec<UnsupportedField>,
}

impl Fragment {
    /// Writes jobs.
    pub(crate) fn new(jobs: Vec<Value>, writer: &SectionWriter<'_>, reader: &Reader<'_>) -> Self {
        // A list is not indented below its key, so it has the same bytes alone.
        let text = if jobs.is_empty() { String::new() } else { yaml::write(&Value::List(jobs)) };
        Self { text: text.into(), references: reader.references(), left_out: writer.left_out() }
    }
}

#[cfg(test)]
mod tests {
    use formats::yaml::Map;
    use proptest::prelude::*;

    use super::*;

    fn job(name: &str, texts: &[String]) -> Value {
        Map::new().with("job_name", name.to_owned()).with("list", texts.to_vec()).into()
    }

    proptest! {
        #[test]
        fn fragments_one_after_the_other_are_the_list(names in prop::collection::vec("\\PC{0,90}|[a \n]{0,12}", 1..4)) {
            let jobs: Vec<Value> = names.iter().map(|name| job(name, &names)).collect();
            let whole = yaml::write(&Map::new().with("scrape_configs", jobs.clone()).with("z", "last").into());
            let alone: String = jobs.into_iter().map(|job| yaml::write(&Value::List(vec![job]))).collect();
            prop_assert_eq!(format!("scrape_configs:\n{alone}z: last\n"), whole);
        }
    }
}
