//! Everything that a takeover must not change, as one value that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use anyhow::{Context, Result};
use e2e::http;
use e2e::namespace::Namespace;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::Value;

use crate::peer;

/// What must not change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// UID and restarts of every pod.
    pub(crate) pods: BTreeMap<String, (String, i32)>,
    /// The template of every StatefulSet.
    pub(crate) templates: BTreeMap<String, Value>,
    /// Every Secret and ConfigMap that was generated.
    pub(crate) content: BTreeMap<String, Value>,
    /// The time of the last reload of each operand, and the number of reloads by its reloader.
    pub(crate) reloads: BTreeMap<String, (String, u64)>,
}

impl State {
    /// The current state.
    pub(crate) async fn of(namespace: &Namespace) -> Result<Self> {
        let pods = peer::workload_pods(namespace).await?;
        let mut reloads = BTreeMap::new();
        for pod in &pods {
            reloads.insert(pod.name_any(), reloaded(pod).await?);
        }
        let sets: Vec<StatefulSet> = namespace.api().list(&ListParams::default()).await?.items;
        let secrets: Vec<Secret> = namespace.api().list(&ListParams::default()).await?.items;
        let maps: Vec<ConfigMap> = namespace.api().list(&ListParams::default()).await?.items;
        let template = |set: &StatefulSet| {
            let template = set.spec.as_ref().map(|spec| &spec.template);
            Ok((set.name_any(), serde_json::to_value(template)?))
        };
        let mut content = BTreeMap::new();
        for secret in secrets.iter().filter(|secret| !secret.owner_references().is_empty()) {
            content.insert(format!("Secret {}", secret.name_any()), serde_json::to_value(&secret.data)?);
        }
        for map in maps.iter().filter(|map| !map.owner_references().is_empty()) {
            content.insert(format!("ConfigMap {}", map.name_any()), serde_json::to_value(&map.data)?);
        }
        Ok(Self {
            pods: pods.iter().map(identity).collect(),
            templates: sets.iter().map(template).collect::<Result<_>>()?,
            content,
            reloads,
        })
    }

    /// How often each pod reloaded its configuration between two states.
    pub(crate) fn reloads_until(&self, after: &Self) -> BTreeMap<String, u64> {
        let since = |(pod, (_, count)): (&String, &(String, u64))| {
            let before = self.reloads.get(pod).map_or(0, |(_, count)| *count);
            (pod.clone(), count.saturating_sub(before))
        };
        after.reloads.iter().map(since).collect()
    }

    /// The names of Secrets and ConfigMaps that differ.
    pub(crate) fn changed(&self, after: &Self) -> Vec<String> {
        differing(&self.content, &after.content)
    }

    /// A description of each difference.
    pub(crate) fn differences(&self, after: &Self) -> Vec<String> {
        // Destructured, so that a new field must be compared here too.
        let Self { pods, templates, content, reloads } = self;
        let named = |name: String| format!("{name} has another content");
        let mut all: Vec<String> = differing(content, &after.content).into_iter().map(named).collect();
        all.extend(described("identity", pods, &after.pods));
        all.extend(described("template", templates, &after.templates));
        all.extend(described("last reload", reloads, &after.reloads));
        all
    }
}

/// A description of each name with another value.
fn described<T: PartialEq + Debug>(
    what: &str,
    before: &BTreeMap<String, T>,
    after: &BTreeMap<String, T>,
) -> Vec<String> {
    let line = |name: String| {
        let (was, is) = (before.get(&name), after.get(&name));
        format!("the {what} of {name} was {was:?} and is {is:?}")
    };
    differing(before, after).into_iter().map(line).collect()
}

/// The names with another value, or with a value on one side only.
fn differing<T: PartialEq>(before: &BTreeMap<String, T>, after: &BTreeMap<String, T>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

fn identity(pod: &Pod) -> (String, (String, i32)) {
    let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
    let restarts = statuses.into_iter().flatten().map(|status| status.restart_count).sum();
    (pod.name_any(), (pod.uid().unwrap_or_default(), restarts))
}

/// The time of the last reload of an operand, and the number of reloads by its reloader.
async fn reloaded(pod: &Pod) -> Result<(String, u64)> {
    let address = e2e::pods::address(pod)?;
    let (port, metric) = match pod.labels().get("app.kubernetes.io/name").map(String::as_str) {
        Some("alertmanager") => (9093, "alertmanager_config_last_reload_success_timestamp_seconds"),
        Some("thanos-ruler") => (10902, "thanos_rule_config_last_reload_success_timestamp_seconds"),
        _ => (9090, "prometheus_config_last_reload_success_timestamp_seconds"),
    };
    let operand = value(&http::get(address, port, "/metrics").await?.body, metric);
    let reloader = value(&http::get(address, 8080, "/metrics").await?.body, "reloader_reloads_total");
    let reloader = reloader.with_context(|| format!("the reloader of {} has no metric", pod.name_any()))?;
    Ok((operand.unwrap_or_default(), reloader.parse()?))
}

fn value(page: &str, metric: &str) -> Option<String> {
    let line = page.lines().find(|line| line.starts_with(metric))?;
    Some(line.rsplit(' ').next()?.to_owned())
}
