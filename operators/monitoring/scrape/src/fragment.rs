//! The jobs of one resource, as they stand in the file. A fragment depends on its resource, on the workload and on what
//! it references, and on nothing else: whoever keeps it needs to write it again only when one of these changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use formats::prometheus::{LeftOut, Writer};
use formats::yaml::{self, Value};
use monitoring_assets::{Reader, Reference};

/// The jobs of one resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Elements of `scrape_configs`, exactly as they stand below it; empty, if the resource has no job.
    pub text: Arc<str>,
    /// The Secrets and ConfigMaps whose contents are in the text, or would be if they were there.
    pub references: BTreeSet<Reference>,
    /// What the resource asked for and the version does not have.
    pub left_out: Vec<LeftOut>,
}

impl Fragment {
    /// Writes jobs.
    pub(crate) fn new(jobs: Vec<Value>, writer: &Writer<'_>, reader: &Reader<'_>) -> Self {
        // A list stands below its key without indentation, so it looks the same alone.
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
