//! `ExampleApp`.

mod properties;
mod scenarios;

use std::net::SocketAddr;
use std::time::Duration;

use mainstay::products::Running;
use operator_example::client::Instances;
use operator_example::upgrade::Timing;
use operator_example::{DECLARATION, ExampleOperator, PRODUCT};
use serde_json::Value;

use crate::difference::Difference;
use crate::scenario::{Extent, Subject};
use crate::state::Name;

/// The name of the resource in every scenario.
const APP: &str = "app";

/// The kind, with all that is tried on it.
pub(super) fn subject() -> Subject {
    Subject {
        name: "example",
        declaration: &DECLARATION,
        resource: APP,
        scenarios: scenarios::all(),
        properties: properties::all(),
        extent: Extent::Each,
        shows_trouble,
        brought: |_| false,
        ignored,
        left_to_others,
        start,
    }
}

fn start(instances: SocketAddr) -> Running {
    let operator = ExampleOperator {
        instances: Instances::behind(instances),
        timing: Timing { watched: 1, interval: Duration::from_millis(250) },
    };
    Running::only(&PRODUCT, operator)
}

fn shows_trouble(app: &Value) -> bool {
    let conditions = app["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|one| one["type"] == "Progressing" && one["reason"] == "CannotApply")
}

/// - The time of the last change of the features is an annotation of the pods, so that they read them again; none if there
///   was no change.
/// - The revision of a set that was rolled there and back may have another number than one that was never touched.
/// - An upgrade that came too late says for how long it waited.
fn ignored(difference: &Difference<'_>) -> bool {
    let Difference { name, path, expected, found } = *difference;
    let told = operator_example::names::CHANGED.replace('/', "~1");
    let waited = |side: Option<&Value>| {
        side.and_then(Value::as_str)
            .is_some_and(|text| text.contains(" waited ") || text.starts_with("waited "))
    };
    match name.kind.as_str() {
        "configmaps" => path.ends_with(&told),
        "pods" => path.ends_with(&told) || path.ends_with("controller-revision-hash"),
        _ => waited(expected) && waited(found),
    }
}

/// Credentials are created once; users may rotate them.
fn left_to_others(name: &Name, pointer: &str) -> bool {
    name.kind == "secrets" && pointer.starts_with("/data/")
}
