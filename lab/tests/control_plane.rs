//! Tests of control planes without nodes: started by the library and by the command, at the same time, and removed
//! completely.

#![expect(clippy::disallowed_methods, reason = "tests act as the users and controllers of a cluster")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use lab::args::Extent;
use lab::clock::wait_for;
use lab::process::Identity;
use lab::shell::{Call, call};
use serde_json::{from_value, json};

/// The `lab` program with a separate state directory, so that it affects no other lab of this machine.
struct Command {
    state: tempfile::TempDir,
}

impl Command {
    fn new() -> Result<Self> {
        Ok(Self { state: tempfile::tempdir()? })
    }

    fn lab(&self, words: &str) -> Call {
        call(env!("CARGO_BIN_EXE_lab")).environment("MAINSTAY_LAB_STATE", self.state.path()).words(words)
    }

    fn processes(&self, lab: &str) -> Vec<Identity> {
        identities(&self.state.path().join(lab))
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        let _ = self.lab("down --all").run();
    }
}

/// The processes that are recorded below a directory.
fn identities(directory: &Path) -> Vec<Identity> {
    let records = std::fs::read_dir(directory.join("processes")).into_iter().flatten();
    records
        .filter_map(|entry| Identity::from_record(&std::fs::read_to_string(entry.ok()?.path()).ok()?))
        .collect()
}

async fn write_and_read(client: Client, name: &str) -> Result<Vec<String>> {
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    let object = from_value(json!({"metadata": {"name": name}, "data": {"written-by": name}}))?;
    api.create(&PostParams::default(), &object).await?;
    let listed = api.list(&ListParams::default()).await?;
    Ok(listed.items.into_iter().filter_map(|item| item.data?.get("written-by").cloned()).collect())
}

#[tokio::test]
async fn two_run_at_the_same_time_and_leave_nothing() -> Result<()> {
    let (first, second) = tokio::try_join!(ControlPlane::start(), ControlPlane::start())?;
    assert_eq!(write_and_read(first.client().await?, "first").await?, ["first"]);
    assert_eq!(write_and_read(second.client().await?, "second").await?, ["second"]);

    let directory: PathBuf = first.kubeconfig().parent().context("a kubeconfig has a directory")?.into();
    let processes = identities(&directory);
    assert_eq!(processes.len(), 2, "etcd and the API server");
    drop(first);
    assert!(!directory.exists());
    assert!(processes.iter().all(|process| !process.is_alive()));
    assert_eq!(write_and_read(second.client().await?, "third").await?, ["second", "third"]);
    Ok(())
}

#[tokio::test]
async fn with_controllers_a_deployment_gets_its_pods() -> Result<()> {
    let plane = ControlPlane::start_with(Extent::Controllers).await?;
    let client = plane.client().await?;
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "never-pulled"}]},
    });
    let deployment: Deployment = from_value(json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }))?;
    // Pods are admitted once the namespace has its service account, which a controller creates.
    Api::namespaced(client.clone(), "default").create(&PostParams::default(), &deployment).await?;
    let pods: Api<Pod> = Api::namespaced(client, "default");
    let two = wait_for(Duration::from_mins(2), || async {
        let listed = pods.list(&ListParams::default()).await.ok()?;
        (listed.items.len() == 2).then_some(())
    });
    two.await.context("the controllers did not create two pods within two minutes")
}

#[tokio::test]
async fn the_command_starts_repairs_and_stops_one() -> Result<()> {
    let command = Command::new()?;
    command.lab("up --name api --control-plane-only").run()?;
    let before = command.processes("api");
    assert_eq!(before.len(), 2);

    command.lab("up --name api").run()?;
    assert_eq!(command.processes("api"), before, "nothing is started twice");

    before[0].signal(rustix::process::Signal::KILL);
    let ended = wait_for(Duration::from_secs(30), || async { (!before[0].is_alive()).then_some(()) });
    ended.await.context("a killed process ends")?;
    command.lab("up --name api").run()?;
    let after = command.processes("api");
    assert!(after.len() == 2 && after.iter().all(Identity::is_alive), "the killed process runs again");
    assert_eq!(
        after.iter().filter(|process| before.contains(process)).count(),
        1,
        "the other process still runs"
    );

    let kubeconfig = PathBuf::from(command.lab("kubeconfig --name api").output()?);
    let client = lab::kubeconfig::client(&kubeconfig).await?;
    assert_eq!(write_and_read(client, "kept").await?, ["kept"]);

    command.lab("down --name api").run()?;
    assert!(after.iter().all(|process| !process.is_alive()));
    assert!(!kubeconfig.exists());
    Ok(())
}

#[tokio::test]
async fn its_data_can_be_kept() -> Result<()> {
    let command = Command::new()?;
    command.lab("up --name kept --control-plane-only").run()?;
    let kubeconfig = PathBuf::from(command.lab("kubeconfig --name kept").output()?);
    write_and_read(lab::kubeconfig::client(&kubeconfig).await?, "before").await?;
    command.lab("down --name kept --keep-state").run()?;
    command.lab("up --name kept").run()?;
    let names = write_and_read(lab::kubeconfig::client(&kubeconfig).await?, "after").await?;
    assert_eq!(names, ["after", "before"]);
    Ok(())
}

#[test]
fn errors_explain_what_to_do() -> Result<()> {
    let command = Command::new()?;
    let error = |words: &str| command.lab(words).run().map_err(|error| error.to_string()).unwrap_err();
    let missing = error("kubectl --lab nowhere get nodes");
    assert!(
        missing.ends_with("error: there is no lab `nowhere`: `cargo lab up --name nowhere` creates it"),
        "{missing}"
    );
    let unknown = error("image build promtheus");
    assert!(unknown.contains("no image `promtheus`; there are: all, pause:1"), "{unknown}");
    let named = error("up --name No/Way --control-plane-only");
    assert!(named.contains("`No/Way` cannot be a lab's name"), "{named}");
    Ok(())
}

#[tokio::test]
async fn tests_can_share_one() -> Result<()> {
    const NAME: &str = "shared-by-tests";
    lab::cluster::down(&lab::state::LabName::new(NAME)?, false)?;
    let first = ControlPlane::shared(NAME, Extent::Api).await?;
    let second = ControlPlane::shared(NAME, Extent::Api).await?;
    assert_eq!(first.kubeconfig(), second.kubeconfig());
    write_and_read(first.client().await?, "first").await?;
    drop(first);
    assert_eq!(
        write_and_read(second.client().await?, "second").await?,
        ["first", "second"],
        "it runs until it is stopped explicitly"
    );

    let directory: PathBuf = second.kubeconfig().parent().context("a kubeconfig has a directory")?.into();
    let processes = identities(&directory);
    lab::cluster::down(&lab::state::LabName::new(NAME)?, false)?;
    assert!(processes.len() == 2 && processes.iter().all(|process| !process.is_alive()));
    assert!(!directory.exists());
    Ok(())
}
