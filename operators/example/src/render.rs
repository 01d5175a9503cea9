//! What would be applied for a resource in a cluster that has nothing of it yet. Pure, except that credentials are only
//! made when something is really applied: here they are a word that says so.

use api_example::ExampleApp;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Desired;
use kernel::flow::Invalid;

use crate::adopt::Frame;
use crate::gather::{Credentials, Gate, Inputs};
use crate::upgrade::Pace;
use crate::{plan, validate};

/// Stands where a password will be.
pub const GENERATED: &str = "(generated when applied)";

/// The objects, in the order in which they are applied.
pub fn render(app: &ExampleApp) -> Result<Vec<Desired>, Invalid> {
    let inputs = Inputs {
        frame: Frame::ours(app.metadata.name.as_deref().unwrap_or_default()),
        set: None,
        pods: Vec::new(),
        claims: Vec::new(),
        claim_objects: Vec::new(),
        service: None,
        features: None,
        credentials: Credentials { username: "admin".into(), password: GENERATED.into() },
        jobs: Vec::new(),
        gate: Gate::Open,
    };
    // What a cluster says about a resource is no wish.
    let app = ExampleApp { status: None, ..app.clone() };
    let valid = validate::validate(&app, &inputs)?;
    let facts = plan::facts(&app, &valid, &inputs, Pace::default());
    let planned = plan::plan(&valid, &inputs, &facts, Timestamp::UNIX_EPOCH);
    Ok(planned.work.waves.into_iter().flatten().collect())
}
