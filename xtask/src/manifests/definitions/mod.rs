//! The CRDs, one file each.

mod alertmanager_config;
mod monitoring;
mod overlay;
mod structural;

use std::path::PathBuf;

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use kube::ResourceExt;
use mainstay::products;
use product::Product;

use super::yaml;

/// The limit of `kubectl apply`, which stores the object in an annotation.
const LARGEST_DEFINITION: usize = 256 * 1024;

/// A CRD, and the operator that serves it.
pub(super) struct Definition {
    pub(super) product: &'static Product,
    whole: CustomResourceDefinition,
    /// As YAML, without a heading.
    pub(super) text: String,
}

/// All CRDs, by operator.
pub(super) fn all() -> Result<Vec<Definition>> {
    let mut all = Vec::new();
    for product in products::ALL {
        let of_types = (product.definitions)()?.into_iter().filter_map(|one| match one {
            product::Definition::OfType(definition) => Some(*definition),
            // The file is generated here.
            product::Definition::File { .. } => None,
        });
        let of_types: Vec<CustomResourceDefinition> = of_types.collect();
        // The Rust types of monitoring do not contain everything that their CRDs need.
        let made =
            if **product == operator_monitoring::PRODUCT { monitoring::definitions()? } else { Vec::new() };
        for definition in of_types.into_iter().chain(made) {
            all.push(Definition::new(product, definition)?);
        }
    }
    Ok(all)
}

impl Definition {
    fn new(product: &'static Product, whole: CustomResourceDefinition) -> Result<Self> {
        let name = whole.name_any();
        let size = serde_json::to_vec(&whole)?.len();
        anyhow::ensure!(size < LARGEST_DEFINITION, "{name} has {size} bytes and cannot be applied");
        let text = yaml(&whole).with_context(|| format!("writing {name}"))?;
        Ok(Self { product, whole, text })
    }

    /// The same with every version served.
    pub(super) fn converted(&self, conversion: CustomResourceConversion) -> CustomResourceDefinition {
        let mut whole = self.whole.clone();
        whole.spec.versions.iter_mut().for_each(|version| version.served = true);
        whole.spec.conversion = Some(conversion);
        whole
    }

    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("deploy/crds/{}.yaml", self.name()))
    }

    pub(super) fn name(&self) -> String {
        self.whole.name_any()
    }

    pub(super) fn group(&self) -> &str {
        &self.whole.spec.group
    }

    pub(super) fn plural(&self) -> &str {
        &self.whole.spec.names.plural
    }

    #[cfg(test)]
    pub(super) fn versions(&self) -> Vec<&str> {
        self.whole.spec.versions.iter().map(|version| version.name.as_str()).collect()
    }

    /// The subresources of any version.
    pub(super) fn subresources(&self) -> Vec<&'static str> {
        let of = |version: &CustomResourceDefinitionVersion| version.subresources.clone().unwrap_or_default();
        let all: Vec<_> = self.whole.spec.versions.iter().map(of).collect();
        let status = all.iter().any(|some| some.status.is_some()).then_some("status");
        let scale = all.iter().any(|some| some.scale.is_some()).then_some("scale");
        status.into_iter().chain(scale).collect()
    }

    /// Whether the operator reads data for these resources that their author may not be permitted to read.
    pub(super) fn is_privileged(&self) -> bool {
        let mut kinds = self.product.privileged.iter();
        kinds.any(|kind| kind.group == self.group() && kind.plural == self.plural())
    }
}

#[cfg(test)]
mod tests {
    use api_example::ExampleApp;
    use kube::CustomResourceExt;

    use super::*;

    #[test]
    fn a_definition_is_read_back_as_it_was_meant() {
        let all = all().unwrap();
        let read: CustomResourceDefinition = serde_saphyr::from_str(&all[0].text).unwrap();
        assert_eq!(read, ExampleApp::crd());
    }
}
