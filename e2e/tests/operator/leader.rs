//! Leader election: the leader is stopped with SIGSTOP until its lease expires, the other process becomes the leader, and
//! when the first one continues, it starts no write.

use std::fs;

use anyhow::{Context, Result};
use e2e::audit;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, NAME, NAMESPACE};
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, ResourceExt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// The pod that holds the lease.
async fn leader(lab: &Lab) -> Result<String> {
    let leases: Api<Lease> = Api::namespaced(lab.client(), NAMESPACE);
    wait::until("a leader", async || {
        let lease = leases.get(NAME).await?;
        let holder = lease.spec.and_then(|spec| spec.holder_identity).unwrap_or_default();
        Ok(match holder.rsplit_once('_') {
            Some((pod, _)) => Look::Found(pod.to_owned()),
            None => Look::NotYet(holder),
        })
    })
    .await
}

/// The process of the operator in a pod, with its process ID on the host.
fn process_in(pod: &Pod) -> Result<Pid> {
    let uid = pod.uid().context("the pod has no UID")?;
    let spellings = [uid.clone(), uid.replace('-', "_")];
    for entry in fs::read_dir("/proc")? {
        let path = entry?.path();
        let Some(number) = path.file_name().and_then(|name| name.to_str()?.parse::<i32>().ok()) else {
            continue;
        };
        let groups = fs::read_to_string(path.join("cgroup")).unwrap_or_default();
        let command = fs::read(path.join("cmdline")).unwrap_or_default();
        if spellings.iter().any(|uid| groups.contains(uid)) && command.starts_with(b"/bin/mainstay") {
            return Pid::from_raw(number).context("a process ID is not 0");
        }
    }
    anyhow::bail!("no process of the operator runs in pod {} on this host", pod.name_any())
}

/// A process that was stopped with SIGSTOP. It continues when this is dropped.
struct StoppedProcess(Pid);

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        // It may have exited.
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[tokio::test]
async fn a_stopped_leader_writes_nothing_after_it_continues() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "leader").await?;
    let app = ManagedApp::create(&namespace, "app", json!({"appVersion": "0.0.1"})).await?;
    app.settled().await?;

    let old = leader(&lab).await?;
    let pods: Api<Pod> = Api::namespaced(lab.client(), NAMESPACE);
    let process = process_in(&pods.get(&old).await?)?;
    let start = audit::mark(&lab)?;
    kill_process(process, Signal::STOP)?;
    let stopped = StoppedProcess(process);
    app.change(json!({"replicas": 2})).await?;
    wait::until("another leader", async || {
        let now = leader(&lab).await?;
        Ok(holds(now != old, now))
    })
    .await?;
    app.settled().await?;
    let continued = audit::mark(&lab)?;
    drop(stopped);
    // A change that the old leader would write if it were still the leader.
    app.change(json!({"replicas": 3})).await?;
    app.settled().await?;
    operator::available(&lab).await?;

    let all = audit::writes_since(&lab, start)?;
    let unfenced: Vec<_> =
        all.iter().filter(|write| write.resource != "secrets" && !write.is_fenced()).collect();
    assert!(unfenced.is_empty(), "{unfenced:?}");
    assert!(!all.is_empty());

    let late: Vec<_> =
        audit::writes_since(&lab, continued)?.into_iter().filter(|write| write.pod == old).collect();
    assert!(late.is_empty(), "{late:?}");
    Ok(())
}
