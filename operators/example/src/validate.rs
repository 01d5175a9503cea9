//! From what the user wrote to what can be carried out. A wish that cannot be granted is left out, named, and the rest
//! goes on; only a resource that makes no sense at all is invalid. Pure.

use std::collections::BTreeMap;

use api_example::{DeletionSpec, ExampleApp};
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kernel::flow::Invalid;
use kernel::quantity::Amount;

use crate::adopt;
use crate::gather::Inputs;
use crate::names;
use crate::version::{Gap, Version};

/// A wish that was not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Why, in one word.
    pub reason: &'static str,
    /// What to do, in words.
    pub message: String,
}

/// What can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Valid {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What its objects refer to as their owner.
    pub owner: OwnerReference,
    /// The version that it should come to.
    pub version: Version,
    /// The image without a tag.
    pub image: String,
    /// How many instances.
    pub replicas: i32,
    /// Their processor and memory.
    pub resources: Option<ResourceRequirements>,
    /// The size of their volumes.
    pub size: String,
    /// Their storage class.
    pub class: Option<String>,
    /// Their features.
    pub features: BTreeMap<String, bool>,
    /// How long a stage of an upgrade may take, in seconds.
    pub deadline: i64,
    /// Whether to leave everything as it is.
    pub paused: bool,
    /// Whether the resource is on its way out.
    pub deleting: bool,
    /// What then happens.
    pub deletion: DeletionSpec,
    /// What was not granted.
    pub complaints: Vec<Complaint>,
}

/// Checks.
pub fn validate(app: &ExampleApp, inputs: &Inputs) -> Result<Valid, Invalid> {
    let name = app.metadata.name.clone().unwrap_or_default();
    if name.len() > names::LONGEST_NAME {
        let message = format!(
            "a name has at most {} letters, because others are made of it; use a shorter one",
            names::LONGEST_NAME
        );
        return Err(Invalid { reason: "NameTooLong", message, requeue_after: None });
    }
    let Some(wanted) = Version::parse(&app.spec.app_version) else {
        let message =
            format!("spec.appVersion {:?} is no version; write it as in 0.1.0", app.spec.app_version);
        return Err(Invalid { reason: "NoVersion", message, requeue_after: None });
    };
    let image = app.spec.image.clone().unwrap_or_else(|| names::IMAGE.into());
    if adopt::tag(&image).is_some() || image.contains('@') {
        let message = format!("spec.image {image:?} must have no tag: the tag is always spec.appVersion");
        return Err(Invalid { reason: "ImageWithTag", message, requeue_after: None });
    }
    if Amount::parse(&app.spec.storage.size.0).is_none() {
        let message =
            format!("spec.storage.size {:?} is no amount; write it as in 1Gi", app.spec.storage.size.0);
        return Err(Invalid { reason: "NoAmount", message, requeue_after: None });
    }
    let mut complaints = Vec::new();
    let version = version(app, wanted, &mut complaints);
    let size = size(app, inputs, &mut complaints);
    let class = class(app, inputs, &mut complaints);
    Ok(Valid {
        owner: owner(app, &name),
        namespace: app.metadata.namespace.clone().unwrap_or_default(),
        version,
        image,
        replicas: app.spec.replicas,
        resources: app.spec.resources.clone(),
        size,
        class,
        features: app.spec.features.clone(),
        deadline: app.spec.upgrade.progress_deadline_seconds.into(),
        paused: app.spec.paused,
        deleting: app.metadata.deletion_timestamp.is_some(),
        deletion: app.spec.deletion.clone(),
        complaints,
        name,
    })
}

fn owner(app: &ExampleApp, name: &str) -> OwnerReference {
    OwnerReference {
        api_version: names::EXAMPLE_APP.api_version(),
        kind: names::EXAMPLE_APP.kind.into(),
        name: name.into(),
        uid: app.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// The version to come to: the wanted one, if it can follow the one in use.
fn version(app: &ExampleApp, wanted: Version, complaints: &mut Vec<Complaint>) -> Version {
    let status = app.status.as_ref();
    // During an upgrade the step is judged from where it began: the version in use changes in the middle of it.
    let before = status.and_then(|status| status.upgrade.as_ref().map(|upgrade| &upgrade.from));
    let in_use = before.or_else(|| status.and_then(|status| status.current_version.as_ref()));
    let Some(in_use) = in_use.and_then(|text| Version::parse(text)) else { return wanted };
    let complaint = match in_use.leads_to(&wanted) {
        Ok(()) => return wanted,
        Err(Gap::Downgrade) => Complaint {
            reason: "DowngradeRefused",
            message: format!(
                "{wanted} is older than {in_use}, which is in use: data only go forward; set spec.appVersion to {in_use} or newer"
            ),
        },
        Err(Gap::Skips(between)) => Complaint {
            reason: "StepSkipped",
            message: format!(
                "from {in_use} to {wanted} is more than one step; set spec.appVersion to {between} first"
            ),
        },
    };
    complaints.push(complaint);
    in_use
}

/// The size of volumes: the wanted one, unless a volume is larger already.
fn size(app: &ExampleApp, inputs: &Inputs, complaints: &mut Vec<Complaint>) -> String {
    let wanted = app.spec.storage.size.0.clone();
    let templates = inputs
        .set
        .iter()
        .flat_map(|set| set.object.spec.iter().flat_map(|spec| spec.volume_claim_templates.iter().flatten()));
    let requests = inputs.claims.iter().chain(templates).filter_map(|claim| {
        claim.spec.as_ref()?.resources.as_ref()?.requests.as_ref()?.get("storage").map(|size| size.0.clone())
    });
    let largest = requests.max_by_key(|size| Amount::parse(size));
    match largest.filter(|largest| Amount::parse(largest) > Amount::parse(&wanted)) {
        None => wanted,
        Some(largest) => {
            let message = format!(
                "volumes cannot shrink from {largest} to {wanted}; set spec.storage.size to {largest} or more"
            );
            complaints.push(Complaint { reason: "ShrinkRefused", message });
            largest
        }
    }
}

/// The storage class: that of the volumes that are there.
fn class(app: &ExampleApp, inputs: &Inputs, complaints: &mut Vec<Complaint>) -> Option<String> {
    let wanted = app.spec.storage.class_name.clone();
    let set = inputs.set.as_ref().and_then(|set| set.object.spec.as_ref());
    let Some(template) = set.and_then(|spec| spec.volume_claim_templates.as_ref()?.first()) else {
        return wanted;
    };
    let present = template.spec.as_ref().and_then(|spec| spec.storage_class_name.clone());
    if wanted.is_some() && wanted != present {
        let message = format!(
            "volumes stay in storage class {}; to move the data, restore them into a new application",
            present.as_deref().unwrap_or("(default)")
        );
        complaints.push(Complaint { reason: "ClassChangeRefused", message });
    }
    present
}
