//! A second `up` of a running lab changes nothing.

use std::collections::BTreeMap;

use anyhow::Result;
use e2e::lab::Lab;
use lab::paths::state_root;
use lab::process::ProcessRecords;

/// The lab's processes by name.
fn processes(lab: &Lab) -> BTreeMap<String, Option<i32>> {
    let records = ProcessRecords::below(&state_root().join(lab.name()));
    let pid = |name: String| {
        let alive = records.alive(&name).map(|process| process.pid());
        (name, alive)
    };
    records.names().into_iter().map(pid).collect()
}

#[tokio::test]
async fn a_second_up_restarts_nothing() -> Result<()> {
    let lab = Lab::connect().await?;
    let before = processes(&lab);
    // Three nodes with kubelet, containerd and kube-proxy, and a control plane.
    assert!(before.len() > 9, "{before:?}");
    assert!(before.values().all(Option::is_some), "every recorded process runs: {before:?}");
    lab.up()?;
    assert_eq!(processes(&lab), before);
    lab.nodes_ready(3).await
}
