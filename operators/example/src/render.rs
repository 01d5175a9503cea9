//! What would be applied for a resource in a cluster that has nothing of it yet. Pure, except that credentials are only
//! made when something is really applied: here they are a word that says so.

use api_example::ExampleApp;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Desired;
use kernel::flow::Invalid;

use crate::gather::{Credentials, Inputs};
use crate::upgrade::Pace;
use crate::{plan, validate};

/// Stands where a password will be.
pub const GENERATED: &str = "(generated when applied)";

/// The objects, in the order in which they are applied.
pub fn render(app: &ExampleApp) -> Result<Vec<Desired>, Invalid> {
    let inputs = Inputs::of_nothing(
        app.metadata.name.as_deref().unwrap_or_default(),
        Credentials { username: "admin".into(), password: GENERATED.into() },
    );
    // What a cluster says about a resource is no wish.
    let app = ExampleApp { status: None, ..app.clone() };
    let valid = validate::validate(&app, &inputs)?;
    let facts = plan::facts(&app, &valid, &inputs, Pace::default());
    let planned = plan::plan(&valid, &inputs, &facts, Timestamp::UNIX_EPOCH);
    Ok(planned.work.waves.into_iter().flatten().collect())
}
