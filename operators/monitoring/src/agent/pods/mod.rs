//! Prometheus agents: they scrape and forward, and keep nothing. What they have in common with servers is in
//! [`crate::prometheus::pods`], also their Service and Secrets.
//!
//! | file | owns |
//! |---|---|
//! | [`statefulset`] | the StatefulSet of one shard |
//! | [`daemonset`] | the DaemonSet of an agent that runs on every node |
//! | `arguments` | flags |

mod arguments;
pub mod daemonset;
pub mod statefulset;

use crate::prometheus::pods::instance::Instance;
use crate::workload::image::{Image, ImageError};
use crate::workload::operator::OperatorConfig;

/// The image: agents have none of the older ways to name it.
fn image(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<String, ImageError> {
    let image = Image {
        whole: instance.spec.image.as_deref().unwrap_or_default(),
        base: &operator.prometheus_image,
        version: &format!("v{}", instance.version),
        ..Image::default()
    };
    image.build()
}
