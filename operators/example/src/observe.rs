//! The health of an application, from what was read and what was just written. Pure. `report` writes the messages.

#[cfg(test)]
mod tests;

use api_example::ExampleApp;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Service;
use kernel::apply::Applied;
use kernel::object::Key;

use crate::gather::{Inputs, SERVICE, STATEFUL_SET};
use crate::instance::{self, AppInstance};

/// The health of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Its instances, by ordinal.
    pub instances: Vec<AppInstance>,
    /// The port at which clients find it, if there is a Service.
    pub port: Option<i32>,
    /// Whether all instances were created from the template that was just written.
    pub is_rolled_out: bool,
}

impl Health {
    /// The version of the first instance, if it serves.
    pub fn version(&self) -> Option<String> {
        let serves = |instance: &&AppInstance| instance.ordinal == 0 && instance.health.serves();
        self.instances.iter().find(serves)?.version.clone()
    }

    /// How many instances serve, with any version.
    pub fn ready(&self) -> usize {
        self.instances.iter().filter(|instance| instance.health.serves()).count()
    }

    /// How many instances serve this version.
    pub fn serving(&self, version: &str) -> usize {
        self.instances.iter().filter(|instance| instance.serves(version)).count()
    }

    /// Why an instance will not become ready by itself, if one will not.
    pub fn failure(&self) -> Option<String> {
        self.instances.iter().find_map(AppInstance::failure)
    }
}

/// Determines the health from what was read, and from what was written since.
pub fn observe(app: &ExampleApp, inputs: &Inputs, applied: &Applied) -> Health {
    Health {
        instances: instance::all(&inputs.pods.items),
        port: port(app, inputs, applied),
        is_rolled_out: is_rolled_out(app, applied),
    }
}

/// The port of the Service that this pass wrote, else of the one that it read.
fn port(app: &ExampleApp, inputs: &Inputs, applied: &Applied) -> Option<i32> {
    let written = applied.objects.get(&(SERVICE, Key::of(&app.metadata)));
    let written = written.and_then(|service| service.read::<Service>().ok());
    let service = written.or_else(|| Some(inputs.service.as_ref()?.object.clone()))?;
    Some(service.spec?.ports?.first()?.port)
}

fn is_rolled_out(app: &ExampleApp, applied: &Applied) -> bool {
    let set = applied.objects.get(&(STATEFUL_SET, Key::of(&app.metadata)));
    let Some(set) = set.and_then(|set| set.read::<StatefulSet>().ok()) else { return false };
    let Some(status) = &set.status else { return false };
    let is_observed = status.observed_generation == set.metadata.generation;
    // A template that was changed and changed back has one revision again, before its pods do.
    let all = status.updated_replicas.unwrap_or(0) == status.replicas;
    is_observed
        && all
        && status.update_revision.is_some()
        && status.current_revision == status.update_revision
}
