//! The application of `samples/example-app.yaml`.

use anyhow::{Context, Result};
use lab::console::line;

use crate::programs::Programs;

use super::cluster::Cluster;

const NAME: &str = "appdelivery-example-app";

/// Waits until it is ready, and prints how to use it.
pub(super) async fn show(programs: &Programs, cluster: &Cluster) -> Result<()> {
    line("\nAn application that the operators manage:");
    let ready = cluster.kubectl(&format!("wait --for=condition=Ready exampleapp/{NAME} --timeout=180s"))?;
    let ready = programs.output(&ready).await;
    programs.run(&cluster.kubectl("get exampleapps -o wide")?).await?;
    ready.context(
        "the application is not ready; `kubectl describe exampleapp` and `kubectl -n mainstay-system logs deploy/mainstay` \
         say why. A cluster that is not the lab must be able to pull its image",
    )?;
    let url = cluster.kubectl(&format!("get exampleapp {NAME} -o jsonpath={{.status.url}}"))?;
    line(format!("\nIt answers at {} in the cluster. Its credentials:", programs.output(&url).await?.trim()));
    let template = "'{{.data.username|base64decode}}:{{.data.password|base64decode}}'";
    line(format!("{} get secret {NAME}-auth -o go-template={template}", cluster.typed()));
    Ok(())
}
