//! Starts a cluster, shows everything that Mainstay can do, and prints commands to look at it.

mod application;
mod cluster;
mod monitoring;

use anyhow::{Context, Result, ensure};
use lab::clock::{Span, Stopwatch};
use lab::console::{line, table};

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment, test};

use cluster::Cluster;

/// The operators.
const INSTALL: &str = "deploy/install.yaml";

/// An application that the operators manage.
const APPLICATION: &str = "samples/example-app.yaml";

/// The monitoring of the cluster itself.
const MONITORING: &str = "samples/cluster-monitoring.yaml";

/// The images of all of these.
const IMAGES: &str =
    "busybox mainstay mainstay-reloader example-app prometheus:3.13.1 alertmanager:0.33.1 thanos:0.42.2";

/// The name that the DNS test looks up. It exists in every cluster.
const LOOKED_UP: &str = "kubernetes.default.svc.cluster.local";
/// The Job that looks it up.
const JOB: &str = "mainstay-demo-dns";
/// Its image, which both the lab and the public registry have under this name.
const IMAGE: &str = "docker.io/library/busybox:1.35.0";

/// Runs the demo.
pub(crate) async fn run(programs: &Programs) -> Result<ChoreResult> {
    let watch = Stopwatch::start();
    let cluster = environment::context().map_or(Cluster::Lab, Cluster::Context);
    match cluster {
        Cluster::Lab => bring_lab_up(programs).await?,
        Cluster::Context(_) => refuse_beside_another(programs, &cluster).await?,
    }

    line("\nThe nodes:");
    programs.run(&cluster.kubectl("wait --for=condition=Ready nodes --all --timeout=120s")?).await?;
    programs.run(&cluster.kubectl("get nodes -o wide")?).await?;

    line(format!("\nA pod looks up {LOOKED_UP}:"));
    let answer = look_up(programs, &cluster).await;
    let remove = cluster.kubectl(&format!("delete job {JOB} --ignore-not-found --wait=false"))?;
    let removed = Programs::regardless_of_signals().output(&remove).await;
    line(answer?.trim_end());
    removed.context("the Job of the DNS lookup could not be removed")?;

    install(programs, &cluster).await?;
    // Both at the same time, so that the pods of one start while the other is shown.
    cluster.apply(programs, APPLICATION).await?;
    cluster.apply(programs, MONITORING).await?;
    application::show(programs, &cluster).await?;
    monitoring::show(programs, &cluster).await?;
    line(format!("\nCommands to look at the cluster:\n{}", table(&commands(&cluster))));
    line(cluster.how_to_stop());
    line(format!("Ready after {}.", Span(watch.elapsed())));
    Ok(ChoreResult::Good)
}

async fn bring_lab_up(programs: &Programs) -> Result<()> {
    test::build_lab(programs).await?;
    test::examine(programs, "doctor --fix").await?;
    programs.run(&Call::lab("up")?).await?;
    programs.run(&Call::lab(&format!("image build {IMAGES}"))?).await
}

/// Fails if another operator serves the same resources: both would change them, and deleting the demo would delete the
/// resources of both.
async fn refuse_beside_another(programs: &Programs, cluster: &Cluster) -> Result<()> {
    let taken = exists(programs, cluster, "crd prometheuses.monitoring.coreos.com").await?;
    ensure!(
        !taken || exists(programs, cluster, "namespace mainstay-system").await?,
        "this cluster has the CRDs of the Prometheus Operator already; docs/monitoring.md says how to replace it by \
         Mainstay"
    );
    Ok(())
}

/// Installs the operators and waits until they are ready.
async fn install(programs: &Programs, cluster: &Cluster) -> Result<()> {
    line("\nThe operators:");
    let is_installed = exists(programs, cluster, "-n mainstay-system deployment mainstay").await?;
    cluster.apply(programs, INSTALL).await?;
    if is_installed && *cluster == Cluster::Lab {
        restart(programs, cluster).await?;
    }
    let ready = cluster.kubectl("-n mainstay-system rollout status deployment/mainstay --timeout=180s")?;
    let ready = programs.output(&ready).await;
    programs.run(&cluster.kubectl("-n mainstay-system get pods -o wide")?).await?;
    ready.map(drop).context(
        "the operators are not ready; `kubectl -n mainstay-system describe pods` and `kubectl -n mainstay-system logs \
         deploy/mainstay` say why. A cluster that is not the lab must be able to pull their images",
    )
}

/// Restarts the operators: on a lab that was started before, a node may have an older image of the same name.
async fn restart(programs: &Programs, cluster: &Cluster) -> Result<()> {
    let always =
        r#"{"spec":{"template":{"spec":{"containers":[{"name":"mainstay","imagePullPolicy":"Always"}]}}}}"#;
    let patch = cluster.kubectl("-n mainstay-system patch deployment mainstay --patch")?.arguments([always]);
    programs.output(&patch).await?;
    programs
        .output(&cluster.kubectl("-n mainstay-system rollout restart deployment/mainstay")?)
        .await
        .map(drop)
}

async fn exists(programs: &Programs, cluster: &Cluster, what: &str) -> Result<bool> {
    let call = cluster.kubectl(&format!("get {what} --ignore-not-found -o name"))?;
    Ok(!programs.output(&call).await?.trim().is_empty())
}

/// Runs the DNS lookup as a Job and returns its output.
async fn look_up(programs: &Programs, cluster: &Cluster) -> Result<String> {
    let kubectl = async |words: String| programs.output(&cluster.kubectl(&words)?).await;
    kubectl(format!("delete job {JOB} --ignore-not-found")).await?;
    kubectl(format!("create job {JOB} --image={IMAGE} -- nslookup -type=a {LOOKED_UP}")).await?;
    let done = kubectl(format!("wait --for=condition=complete job/{JOB} --timeout=120s")).await;
    let printed = kubectl(format!("logs job/{JOB}")).await;
    match done {
        Ok(_) => printed,
        Err(error) => {
            let printed = printed.unwrap_or_else(|error| format!("nothing ({error:#})"));
            Err(error.context(format!("names do not resolve in this cluster; the pod printed: {printed}")))
        }
    }
}

/// Commands to look at the cluster, and what each shows.
fn commands(cluster: &Cluster) -> Vec<Vec<String>> {
    let kubectl = cluster.typed();
    let mut rows = vec![
        [format!("{kubectl} get nodes -o wide"), "the nodes".into()],
        [format!("{kubectl} get pods -A"), "every pod".into()],
        [format!("{kubectl} get storageclasses"), "the kinds of volumes".into()],
    ];
    rows.extend(monitoring::commands(&kubectl));
    if *cluster == Cluster::Lab {
        rows.extend(
            [
                ("cargo lab status", "the labs, and the processes of this one"),
                ("cargo lab logs apiserver", "the log of a component"),
                ("cargo lab image list", "the images that pods can use"),
                ("cargo lab kubeconfig", "the path of the kubeconfig, for other tools"),
            ]
            .map(|(command, shows)| [command.to_owned(), shows.to_owned()]),
        );
    }
    rows.into_iter().map(Vec::from).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lab::versions::Versions;
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_command_uses_the_chosen_context() {
        let mine = Cluster::Context("kind-mine".into());
        assert!(commands(&mine).iter().all(|row| row[0].starts_with("kubectl --context kind-mine ")));
    }

    /// Every image in an object, at any depth.
    fn images(value: &Value) -> BTreeSet<String> {
        let own = value.get("image").and_then(Value::as_str).map(str::to_owned);
        let items = value.as_array().into_iter().flatten();
        let fields = value.as_object().into_iter().flat_map(|fields| fields.values());
        items.chain(fields).flat_map(images).chain(own).collect()
    }

    #[test]
    fn the_lab_has_every_image_that_is_shown() {
        let root = environment::workspace();
        let mut wanted = BTreeSet::from([IMAGE.to_owned()]);
        for file in [APPLICATION, MONITORING] {
            let rendered = mainstay::render::files(&[root.join(file)], "default").unwrap();
            let notes = rendered.notes.iter().filter(|note| !note.contains("is skipped"));
            assert_eq!((notes.collect(), rendered.failures), (Vec::<&String>::new(), Vec::new()), "{file}");
            let sample = std::fs::read_to_string(root.join(file)).unwrap();
            for text in [rendered.text, sample] {
                let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
                wanted.extend(objects.iter().flat_map(images));
            }
        }
        let names: Vec<String> = IMAGES.split(' ').map(str::to_owned).collect();
        let built = Versions::built_in().select_images(&names).unwrap();
        let built: BTreeSet<String> = built.into_iter().flat_map(|image| image.content.names).collect();
        let missing: Vec<&String> = wanted.difference(&built).collect();
        assert_eq!((wanted.len() >= 6, missing), (true, Vec::new()), "{wanted:?}");
    }
}
