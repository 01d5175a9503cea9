//! The objects that would be applied for a resource in a cluster without them. Pure: the password, which is generated when
//! the Secret is applied, is a placeholder.

use api_example::ExampleApp;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Desired;
use kernel::flow::Invalid;

use crate::gather::{Credentials, Inputs};
use crate::upgrade::Timing;
use crate::{plan, validate};

/// The placeholder for the password.
pub const GENERATED: &str = "(generated when applied)";

/// The objects, in the order in which they are applied.
pub fn render(app: &ExampleApp) -> Result<Vec<Desired>, Invalid> {
    let inputs = Inputs::empty(
        app.metadata.name.as_deref().unwrap_or_default(),
        Credentials { username: "admin".into(), password: GENERATED.into() },
    );
    // The status is of another cluster.
    let app = ExampleApp { status: None, ..app.clone() };
    let valid = validate::validate(&app, &inputs, Timing::default())?;
    let plan = plan::plan(&valid, &inputs, Timestamp::UNIX_EPOCH);
    Ok(plan.work.waves.into_iter().flatten().collect())
}
