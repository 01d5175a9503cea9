//! The table that `lab status` prints.

use anyhow::Result;

use crate::console::table;
use crate::process::ProcessRecords;
use crate::state::{Lab, LabKind};

/// All labs, and the processes of the selected one.
pub fn report(selected: &str) -> Result<String> {
    let labs = Lab::all()?;
    if labs.is_empty() {
        return Ok("no labs: `cargo lab up` creates one\n".into());
    }
    let mut rows = vec![["LAB", "KIND", "KUBERNETES", "PROCESSES", "KUBECONFIG"].map(str::to_owned).to_vec()];
    rows.extend(labs.iter().map(row));
    let mut text = table(&rows);
    if let Some(lab) = labs.iter().find(|lab| lab.name.as_str() == selected) {
        text.push('\n');
        text.push_str(&table(&processes(lab)));
    }
    Ok(text)
}

fn row(lab: &Lab) -> Vec<String> {
    let kind = match &lab.shape.kind {
        LabKind::Cluster { nodes: 1, .. } => "1 node".into(),
        LabKind::Cluster { nodes, .. } => format!("{nodes} nodes"),
        LabKind::ControlPlane { .. } => "control plane".into(),
    };
    let records = ProcessRecords::below(&lab.directory);
    let names = records.names();
    let alive = names.iter().filter(|name| records.alive(name).is_some()).count();
    vec![
        lab.name.as_str().into(),
        kind,
        lab.shape.kubernetes.clone(),
        format!("{alive}/{}", names.len()),
        lab.kubeconfig().display().to_string(),
    ]
}

fn processes(lab: &Lab) -> Vec<Vec<String>> {
    let records = ProcessRecords::below(&lab.directory);
    let mut rows = vec![["PROCESS", "STATE", "PID", "LOG"].map(str::to_owned).to_vec()];
    for name in records.names() {
        let alive = records.alive(&name);
        let state = if alive.is_some() { "running" } else { "ended" };
        let pid = alive.map_or_else(|| "-".into(), |process| process.pid().to_string());
        rows.push(vec![name.clone(), state.into(), pid, records.log(&name).display().to_string()]);
    }
    rows
}
