//! How an application is doing: from what was found and what was just written. Pure; `report` puts it into words.

#[cfg(test)]
mod tests;

use api_example::ExampleApp;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Service};
use kernel::apply::Applied;
use kernel::object::Key;
use kernel::quantity::Amount;

use crate::gather::{Inputs, SERVICE, STATEFUL_SET};
use crate::instance::{self, Instance};

/// How it is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Its instances, by number.
    pub instances: Vec<Instance>,
    /// The port at which clients find it, if there is a Service.
    pub port: Option<i32>,
    /// Whether all instances are made of the template as it was just written.
    pub rolled_out: bool,
    /// How many volumes are smaller than they should be.
    pub small_volumes: usize,
}

impl Health {
    /// The version of the instance that takes the writes, if it serves.
    pub fn version(&self) -> Option<String> {
        let serves = |instance: &&Instance| instance.number == 0 && instance.ready && !instance.leaving;
        self.instances.iter().find(serves)?.version.clone()
    }

    /// How many instances serve, whatever version.
    pub fn ready(&self) -> usize {
        self.instances.iter().filter(|instance| instance.ready && !instance.leaving).count()
    }

    /// How many instances serve this version.
    pub fn serving(&self, version: &str) -> usize {
        self.instances.iter().filter(|instance| instance.serves(version)).count()
    }

    /// Why an instance will not get ready by itself, if one will not.
    pub fn broken(&self) -> Option<&str> {
        self.instances.iter().find_map(|instance| instance.broken.as_deref())
    }
}

/// Looks at what was found, and at what was written since.
pub fn observe(app: &ExampleApp, inputs: &Inputs, applied: &Applied) -> Health {
    Health {
        instances: instance::all(&inputs.pods),
        port: port(app, inputs, applied),
        rolled_out: rolled_out(app, applied),
        small_volumes: small_volumes(app, inputs),
    }
}

/// Our own write causes no further pass: what was found may be older.
fn port(app: &ExampleApp, inputs: &Inputs, applied: &Applied) -> Option<i32> {
    let written = applied.objects.get(&(SERVICE, Key::of(&app.metadata)));
    let written = written.and_then(|service| service.read::<Service>().ok());
    let service = written.or_else(|| Some(inputs.service.as_ref()?.object.clone()))?;
    Some(service.spec?.ports?.first()?.port)
}

fn rolled_out(app: &ExampleApp, applied: &Applied) -> bool {
    let set = applied.objects.get(&(STATEFUL_SET, Key::of(&app.metadata)));
    let Some(set) = set.and_then(|set| set.read::<StatefulSet>().ok()) else { return false };
    let Some(status) = &set.status else { return false };
    let seen = status.observed_generation == set.metadata.generation;
    // A template that was changed and changed back has one revision again, before its pods do.
    let all = status.updated_replicas.unwrap_or(0) == status.replicas;
    seen && all && status.update_revision.is_some() && status.current_revision == status.update_revision
}

fn small_volumes(app: &ExampleApp, inputs: &Inputs) -> usize {
    let Some(wanted) = Amount::parse(&app.spec.storage.size.0) else { return 0 };
    let present = |claim: &PersistentVolumeClaim| {
        Amount::parse(&claim.status.as_ref()?.capacity.as_ref()?.get("storage")?.0)
    };
    inputs.claims.iter().filter(|claim| present(claim).is_some_and(|present| present < wanted)).count()
}
