//! `ExampleApp`.

mod properties;
mod scenarios;

use std::net::SocketAddr;
use std::time::Duration;

use mainstay::products::RunningProducts;
use operator_example::client::Instances;
use operator_example::upgrade::Timing;
use operator_example::{DECLARATION, ExampleOperator, PRODUCT};
use serde_json::Value;

use crate::difference::Difference;
use crate::scenario::{Coverage, Subject};
use crate::state::Name;

/// The name of the resource in every scenario.
const APP: &str = "app";

/// The kind and its scenarios.
pub(super) fn subject() -> Subject {
    Subject {
        name: "example",
        declaration: &DECLARATION,
        resource: APP,
        scenarios: scenarios::all(),
        properties: properties::all(),
        coverage: Coverage::Each,
        shows_trouble,
        is_users_own: |_| false,
        ignored,
        left_to_others,
        start,
    }
}

fn start(instances: SocketAddr) -> RunningProducts {
    let operator = ExampleOperator {
        instances: Instances::behind(instances),
        timing: Timing { watched: 1, interval: Duration::from_millis(250) },
    };
    RunningProducts::only(&PRODUCT, operator)
}

fn shows_trouble(app: &Value) -> bool {
    let conditions = app["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|one| one["type"] == "Progressing" && one["reason"] == "CannotApply")
}

/// - The time of the last change of the features is an annotation of the pods, so that they are read again. It is missing if
///   there was no change.
/// - The revision of a StatefulSet that was changed and changed back may have another number than one that never changed.
/// - The message about an upgrade that timed out contains how long it waited.
fn ignored(difference: &Difference<'_>) -> bool {
    let Difference { name, path, expected, found } = *difference;
    let changed = operator_example::names::CHANGED.replace('/', "~1");
    let waited = |side: Option<&Value>| {
        side.and_then(Value::as_str)
            .is_some_and(|text| text.contains(" waited ") || text.starts_with("waited "))
    };
    match name.kind.as_str() {
        "configmaps" => path.ends_with(&changed),
        "pods" => path.ends_with(&changed) || path.ends_with("controller-revision-hash"),
        _ => waited(expected) && waited(found),
    }
}

/// Credentials are created once; users may rotate them.
fn left_to_others(name: &Name, pointer: &str) -> bool {
    name.kind == "secrets" && pointer.starts_with("/data/")
}
