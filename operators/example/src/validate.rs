//! Checks a resource. A field that cannot be applied is ignored, and the status reports it; the other fields are applied.
//! Only a resource that cannot be applied at all is invalid. Pure.

use std::collections::BTreeMap;

use api_example::{DeletionSpec, ExampleApp};
use capability::volumes::requested;
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kernel::flow::Invalid;
use kernel::quantity::Amount;

use crate::adopt;
use crate::condition::Reason;
use crate::gather::{Inputs, MigrationJob};
use crate::instance::{self, AppInstance};
use crate::names;
use crate::upgrade::{JobState, Timing, UpgradeFacts};
use crate::version::{Version, VersionGap};

/// A field that is not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    /// The reason of the condition.
    pub reason: Reason,
    /// Why, and what to do.
    pub message: String,
}

/// A checked resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Valid {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The owner reference of its objects.
    pub owner: OwnerReference,
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
    /// The facts that an upgrade depends on.
    pub facts: UpgradeFacts,
    /// Whether no object is changed.
    pub is_paused: bool,
    /// Whether the resource is being deleted.
    pub is_deleting: bool,
    /// What happens when it is deleted.
    pub deletion: DeletionSpec,
    /// The fields that are not applied.
    pub ignored: Vec<IgnoredField>,
}

fn invalid(reason: Reason, message: String) -> Invalid {
    Invalid { reason: reason.as_str(), message, requeue_after: None }
}

/// Checks a resource.
pub fn validate(app: &ExampleApp, inputs: &Inputs, timing: Timing) -> Result<Valid, Invalid> {
    let name = app.metadata.name.clone().unwrap_or_default();
    let size = &app.spec.storage.size.0;
    if name.len() > names::LONGEST_NAME {
        let longest = names::LONGEST_NAME;
        let message = format!(
            "metadata.name has more than {longest} characters, and other names contain it; use a shorter one"
        );
        return Err(invalid(Reason::NameTooLong, message));
    }
    let Some(wanted) = Version::parse(&app.spec.app_version) else {
        let message =
            format!("spec.appVersion {:?} is not a version; use a form such as 0.1.0", app.spec.app_version);
        return Err(invalid(Reason::NoVersion, message));
    };
    let image = app.spec.image.clone().unwrap_or_else(|| names::IMAGE.into());
    if adopt::tag(&image).is_some() || image.contains('@') {
        let message = format!("spec.image {image:?} must have no tag: the tag is always spec.appVersion");
        return Err(invalid(Reason::ImageWithTag, message));
    }
    if Amount::parse(size).is_none() {
        let message = format!("spec.storage.size {size:?} is not a quantity; use a form such as 1Gi");
        return Err(invalid(Reason::NoAmount, message));
    }
    let mut ignored = Vec::new();
    let version = version(app, wanted, &mut ignored);
    Ok(Valid {
        owner: owner(app, &name),
        namespace: app.metadata.namespace.clone().unwrap_or_default(),
        image,
        replicas: app.spec.replicas,
        resources: app.spec.resources.clone(),
        size: self::size(app, inputs, &mut ignored),
        class: class(app, inputs, &mut ignored),
        features: app.spec.features.clone(),
        facts: facts(app, &version, inputs, timing),
        is_paused: app.spec.paused,
        is_deleting: app.metadata.deletion_timestamp.is_some(),
        deletion: app.spec.deletion.clone(),
        ignored,
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

/// The target version: the wanted one, if it can follow the one in use.
fn version(app: &ExampleApp, wanted: Version, ignored: &mut Vec<IgnoredField>) -> Version {
    let status = app.status.as_ref();
    // During an upgrade the version in use changes: the one before the upgrade is compared.
    let before = status.and_then(|status| status.upgrade.as_ref().map(|upgrade| &upgrade.from));
    let in_use = before.or_else(|| status.and_then(|status| status.current_version.as_ref()));
    let Some(in_use) = in_use.and_then(|text| Version::parse(text)) else { return wanted };
    let (reason, message) = match in_use.leads_to(&wanted) {
        Ok(()) => return wanted,
        Err(VersionGap::Downgrade) => (
            Reason::DowngradeRefused,
            format!(
                "{wanted} is older than {in_use}, which is in use: data cannot be downgraded; set spec.appVersion to \
                 {in_use} or newer"
            ),
        ),
        Err(VersionGap::Skips(between)) => (
            Reason::StepSkipped,
            format!(
                "from {in_use} to {wanted} is more than one step; set spec.appVersion to {between} first"
            ),
        ),
    };
    ignored.push(IgnoredField { reason, message });
    in_use
}

/// The size of volumes: the wanted one, unless a volume is larger already.
fn size(app: &ExampleApp, inputs: &Inputs, ignored: &mut Vec<IgnoredField>) -> String {
    let wanted = &app.spec.storage.size.0;
    let specs = inputs.set.iter().filter_map(|set| set.object.spec.as_ref());
    let templates = specs.flat_map(|spec| spec.volume_claim_templates.iter().flatten());
    let largest = inputs.claims.items.iter().chain(templates).filter_map(requested);
    let largest = largest.max_by_key(|size| Amount::parse(size)).unwrap_or(wanted);
    if Amount::parse(largest) <= Amount::parse(wanted) {
        return wanted.clone();
    }
    let message = format!(
        "volumes cannot shrink from {largest} to {wanted}; set spec.storage.size to {largest} or more"
    );
    ignored.push(IgnoredField { reason: Reason::ShrinkRefused, message });
    largest.to_owned()
}

/// The storage class: that of existing volumes, else the wanted one.
fn class(app: &ExampleApp, inputs: &Inputs, ignored: &mut Vec<IgnoredField>) -> Option<String> {
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
        ignored.push(IgnoredField { reason: Reason::ClassChangeRefused, message });
    }
    present
}

/// The facts that an upgrade depends on.
fn facts(app: &ExampleApp, wanted: &Version, inputs: &Inputs, timing: Timing) -> UpgradeFacts {
    let status = app.status.clone().unwrap_or_default();
    let name = app.metadata.name.as_deref().unwrap_or_default();
    let instances = instance::all(&inputs.pods.items);
    let job = |is_back: bool| {
        let upgrade = status.upgrade.as_ref();
        let version = upgrade.map(|upgrade| if is_back { &upgrade.from } else { &upgrade.to });
        let job = version.and_then(|version| inputs.job(&names::migration(name, is_back, version)));
        job.map_or(JobState::Absent, MigrationJob::state)
    };
    UpgradeFacts {
        wanted: wanted.to_string(),
        image: app.spec.image.clone(),
        replicas: app.spec.replicas,
        migration: job(false),
        migration_back: job(true),
        current: status.current_version.clone().or_else(|| running(&instances, inputs)),
        instances,
        upgrade: status.upgrade,
        failed: status.failed_upgrade,
        writes: inputs.writes,
        deadline: app.spec.upgrade.progress_deadline_seconds.into(),
        timing,
    }
}

/// The version that runs, if it is not in the status: the status was lost, or the application is new to the operator.
fn running(instances: &[AppInstance], inputs: &Inputs) -> Option<String> {
    let ready = instances.iter().find(|instance| instance.ordinal == 0 && instance.health.is_ready);
    let from_template = || {
        let set = inputs.set.as_ref().filter(|set| !set.is_ours)?;
        let container = adopt::container(&set.object.spec.as_ref()?.template)?;
        adopt::tag(container.image.as_deref()?).map(String::from)
    };
    ready.and_then(|instance| instance.version.clone()).or_else(from_template)
}
