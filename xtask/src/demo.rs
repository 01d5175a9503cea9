//! From a bare machine to a running cluster with what Mainstay has so far, and a table of what to look at.

use anyhow::{Context, Result};
use lab::clock::{Span, Stopwatch};
use lab::console::{line, table};

use crate::programs::{Call, Programs};
use crate::{Verdict, environment, test};

/// The cluster that the demo shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cluster {
    /// The one that a context of the kubeconfig names.
    Context(String),
    /// A lab of ours.
    Lab,
}

/// The name that the DNS proof looks up: every cluster has it.
const LOOKED_UP: &str = "kubernetes.default.svc.cluster.local";
/// The Job that looks it up.
const JOB: &str = "mainstay-demo-dns";
/// Its image: the lab has it under this name, and so has the rest of the world.
const IMAGE: &str = "docker.io/library/busybox:1.35.0";

/// The application of `samples/example-app.yaml`.
const APPLICATION: &str = "appdelivery-example-app";

impl Cluster {
    fn kubectl(&self, words: &str) -> Result<Call> {
        Ok(match self {
            Self::Context(context) => Call::of("kubectl").arguments(["--context", context]).words(words),
            Self::Lab => Call::of(environment::binaries()?.join("lab")).words("kubectl").words(words),
        })
    }

    /// How to stop.
    fn farewell(&self) -> String {
        match self {
            Self::Lab => {
                "Stop: `make lab-down` ends the lab and leaves nothing behind on this machine.".into()
            }
            Self::Context(context) => {
                let kubectl = format!("kubectl --context {context}");
                format!(
                    "Stop: `{kubectl} delete -f samples/example-app.yaml`, then `{kubectl} delete -f deploy/install.yaml`."
                )
            }
        }
    }

    /// How a person calls kubectl on it.
    fn typed(&self) -> String {
        match self {
            Self::Context(context) => format!("kubectl --context {context}"),
            Self::Lab => "cargo lab kubectl".into(),
        }
    }
}

/// Shows what there is.
pub(crate) async fn run(programs: &Programs) -> Result<Verdict> {
    let watch = Stopwatch::start();
    let cluster = environment::context().map_or(Cluster::Lab, Cluster::Context);
    if cluster == Cluster::Lab {
        bring_lab_up(programs).await?;
    }

    line("\nThe nodes:");
    programs.run(&cluster.kubectl("wait --for=condition=Ready nodes --all --timeout=120s")?).await?;
    programs.run(&cluster.kubectl("get nodes -o wide")?).await?;

    line(format!("\nA pod looks up {LOOKED_UP}:"));
    let proof = prove_dns(programs, &cluster).await;
    let remove = cluster.kubectl(&format!("delete job {JOB} --ignore-not-found --wait=false"))?;
    let removed = Programs::regardless_of_signals().output(&remove).await;
    line(proof?.trim_end());
    removed.context("the Job of the DNS proof could not be removed")?;

    line("\nThe operator, and an application under its care:");
    show_operator(programs, &cluster).await?;
    line(format!("\nLook around:\n{}", table(&sights(&cluster))));
    line(cluster.farewell());
    line(format!("Ready after {}.", Span(watch.elapsed())));
    Ok(Verdict::Good)
}

async fn bring_lab_up(programs: &Programs) -> Result<()> {
    test::build_lab(programs).await?;
    test::examine(programs, "doctor --fix").await?;
    let lab =
        |words: &str| -> Result<Call> { Ok(Call::of(environment::binaries()?.join("lab")).words(words)) };
    programs.run(&lab("up")?).await?;
    programs.run(&lab("image build busybox mainstay example-app")?).await
}

/// Installs the operator and the white paper's application, and says how to use it.
async fn show_operator(programs: &Programs, cluster: &Cluster) -> Result<()> {
    let root = environment::workspace();
    let apply = |file: &str| {
        Ok::<Call, anyhow::Error>(
            cluster.kubectl("apply --server-side -f")?.arguments([root.join(file).to_string_lossy()]),
        )
    };
    programs.output(&apply("deploy/install.yaml")?).await.context("the operator could not be installed")?;
    programs
        .output(&apply("samples/example-app.yaml")?)
        .await
        .context("the application could not be created")?;
    let ready =
        cluster.kubectl(&format!("wait --for=condition=Ready exampleapp/{APPLICATION} --timeout=180s"))?;
    let ready = programs.output(&ready).await;
    programs.run(&cluster.kubectl("get exampleapps -o wide")?).await?;
    ready.context(
        "the application is not ready; `kubectl describe exampleapp` and `kubectl -n mainstay-system logs deploy/mainstay` \
         say why. A cluster that is not the lab must be able to pull the images of the operator and the application",
    )?;
    let url = cluster.kubectl(&format!("get exampleapp {APPLICATION} -o jsonpath={{.status.url}}"))?;
    line(format!("\nIt answers at {} in the cluster. Its credentials:", programs.output(&url).await?.trim()));
    let template = "'{{.data.username|base64decode}}:{{.data.password|base64decode}}'";
    line(format!("{} get secret {APPLICATION}-auth -o go-template={template}", cluster.typed()));
    Ok(())
}

/// Runs the look-up as a Job and gives back what it said.
async fn prove_dns(programs: &Programs, cluster: &Cluster) -> Result<String> {
    let kubectl = async |words: String| programs.output(&cluster.kubectl(&words)?).await;
    kubectl(format!("delete job {JOB} --ignore-not-found")).await?;
    kubectl(format!("create job {JOB} --image={IMAGE} -- nslookup -type=a {LOOKED_UP}")).await?;
    let done = kubectl(format!("wait --for=condition=complete job/{JOB} --timeout=120s")).await;
    let said = kubectl(format!("logs job/{JOB}")).await;
    match done {
        Ok(_) => said,
        Err(error) => {
            let said = said.unwrap_or_else(|error| format!("nothing ({error:#})"));
            Err(error.context(format!("names do not resolve in this cluster; the pod said: {said}")))
        }
    }
}

/// What to look at: a command and what it shows.
fn sights(cluster: &Cluster) -> Vec<Vec<String>> {
    let kubectl = cluster.typed();
    let mut rows = vec![
        [format!("{kubectl} get nodes -o wide"), "the nodes".into()],
        [format!("{kubectl} get pods -A"), "every pod".into()],
        [format!("{kubectl} get storageclasses"), "the kinds of volumes".into()],
    ];
    if *cluster == Cluster::Lab {
        rows.extend(
            [
                ("cargo lab status", "which labs there are and what runs in them"),
                ("cargo lab logs apiserver", "the log of a component"),
                ("cargo lab image list", "the images that pods can use"),
                ("cargo lab kubeconfig", "where the kubeconfig is, for tools of your own"),
            ]
            .map(|(command, shows)| [command.to_owned(), shows.to_owned()]),
        );
    }
    rows.into_iter().map(Vec::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_of_ones_own_is_never_mixed_up_with_the_lab() {
        let mine = Cluster::Context("kind-mine".into());
        assert_eq!(mine.kubectl("get nodes").unwrap().shown(), "kubectl --context kind-mine get nodes");
        assert!(sights(&mine).iter().all(|row| row[0].starts_with("kubectl --context kind-mine ")));
    }
}
