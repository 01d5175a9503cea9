//! Of two processes one writes. It is frozen past its lease, the other takes over, and when it thaws it begins no write.

use std::fs;

use anyhow::{Context, Result};
use e2e::audit;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, Care, HOME, NAME};
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, ResourceExt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// The pod that holds the lease.
async fn leader(lab: &Lab) -> Result<String> {
    let leases: Api<Lease> = Api::namespaced(lab.client(), HOME);
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

/// The operator's process in a pod, as the host sees it.
fn process_in(pod: &Pod) -> Result<Pid> {
    let uid = pod.uid().context("a pod has a unique id")?;
    let spellings = [uid.clone(), uid.replace('-', "_")];
    for entry in fs::read_dir("/proc")? {
        let path = entry?.path();
        let Some(number) = path.file_name().and_then(|name| name.to_str()?.parse::<i32>().ok()) else {
            continue;
        };
        let groups = fs::read_to_string(path.join("cgroup")).unwrap_or_default();
        let command = fs::read(path.join("cmdline")).unwrap_or_default();
        if spellings.iter().any(|uid| groups.contains(uid)) && command.starts_with(b"/bin/mainstay") {
            return Pid::from_raw(number).context("a process has a number");
        }
    }
    anyhow::bail!("pod {} runs no operator on this host", pod.name_any())
}

/// A process that is frozen; it thaws at the latest when this is dropped.
struct Frozen(Pid);

impl Drop for Frozen {
    fn drop(&mut self) {
        // It may have ended.
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[tokio::test]
async fn a_frozen_leader_writes_nothing_after_it_thaws() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "leader").await?;
    let care = Care::create(&namespace, "app", json!({"appVersion": "0.0.1"})).await?;
    care.settled().await?;

    let old = leader(&lab).await?;
    let pods: Api<Pod> = Api::namespaced(lab.client(), HOME);
    let process = process_in(&pods.get(&old).await?)?;
    let begin = audit::mark(&lab)?;
    kill_process(process, Signal::STOP)?;
    let frozen = Frozen(process);
    care.change(json!({"replicas": 2})).await?;
    wait::until("another process to lead", async || {
        let now = leader(&lab).await?;
        Ok(holds(now != old, now))
    })
    .await?;
    care.settled().await?;
    let thaw = audit::mark(&lab)?;
    drop(frozen);
    // It has something to write, if it were to lead: this is what the new leader must do alone.
    care.change(json!({"replicas": 3})).await?;
    care.settled().await?;
    operator::available(&lab).await?;

    let all = audit::writes_since(&lab, begin)?;
    let unfenced: Vec<_> =
        all.iter().filter(|write| write.resource != "secrets" && !write.is_fenced()).collect();
    assert!(unfenced.is_empty(), "{unfenced:?}");
    assert!(!all.is_empty());

    let begun: Vec<_> =
        audit::writes_since(&lab, thaw)?.into_iter().filter(|write| write.pod == old).collect();
    assert!(begun.is_empty(), "{begun:?}");
    Ok(())
}
