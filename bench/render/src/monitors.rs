//! Our side: renders ServiceMonitors to a configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use api_monitoring::{Prometheus, SelectableKind, ServiceMonitor};
use formats::version;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use monitoring_scrape::document::{self, AdditionalAlerting, Jobs, ServerInputs};
use monitoring_scrape::{Fragment, Server, service_monitor};
use monitoring_select::Selectable as _;
use serde_json::Value;

use crate::figures::{Figures, Ours, measured};
use crate::inputs;

/// How many changes are made in a round: a single one is too short to be measured.
const CHANGES: usize = 100;

/// Renders this number of ServiceMonitors, in several rounds.
pub(crate) fn measure(size: usize, rounds: usize) -> Result<Ours> {
    let prometheus: Prometheus = serde_json::from_value(inputs::server())?;
    let list = inputs::monitors(size);
    let monitors: Vec<ServiceMonitor> = items(&list)?;
    let objects = secrets()?;
    let version = version::parse(&prometheus.spec.shared.version)?;
    let (namespace, name) = (
        prometheus.metadata.namespace.as_deref().unwrap_or_default(),
        prometheus.metadata.name.as_deref().unwrap_or_default(),
    );
    let server = Server::new((namespace, name), &prometheus.spec.shared, version);

    let one = |monitor: &ServiceMonitor| -> Result<(Arc<str>, Fragment)> {
        monitor.check(&server, &objects).map_err(|rejected| anyhow!("{rejected:?}"))?;
        let key = format!("{namespace}/{}", monitor.metadata.name.as_deref().unwrap_or_default());
        Ok((key.into(), service_monitor::render(&server, monitor, &objects)))
    };
    let whole = |fragments: &BTreeMap<Arc<str>, Fragment>| -> Result<String> {
        let mut jobs = Jobs::default();
        jobs.resources[SelectableKind::ServiceMonitor] = fragments.iter().collect();
        let inputs = ServerInputs {
            server: &server,
            spec: &prometheus.spec,
            jobs,
            alerting: AdditionalAlerting::default(),
            rule_config_maps: &[],
            objects: &objects,
        };
        Ok(document::server(&inputs)?.text())
    };

    let mut all = Figures::default();
    let mut fragments = BTreeMap::new();
    let mut text = String::new();
    for _ in 0..rounds {
        text = measured(&mut all, || -> Result<String> {
            fragments = monitors.iter().map(&one).collect::<Result<BTreeMap<_, _>>>()?;
            whole(&fragments)
        })?;
    }

    let mut changes = Figures::default();
    for round in 0..rounds {
        let changed: Vec<ServiceMonitor> = (0..CHANGES)
            .map(|number| serde_json::from_value(inputs::monitor((number * 7 + round) % size)))
            .collect::<Result<_, _>>()?;
        measured(&mut changes, || -> Result<()> {
            for monitor in &changed {
                let (key, fragment) = one(monitor)?;
                fragments.insert(key, fragment);
            }
            Ok(())
        })?;
    }
    changes.divide(CHANGES);
    anyhow::ensure!(whole(&fragments)? == text, "the text after the changes differs from the text before");
    Ok(Ours { all, one: changes, text })
}

fn secrets() -> Result<Objects> {
    let mut objects = Objects::default();
    for secret in items::<Secret>(&inputs::secrets())? {
        objects.add_secret(secret);
    }
    Ok(objects)
}

/// The elements of a list.
pub(crate) fn items<T: serde::de::DeserializeOwned>(list: &Value) -> Result<Vec<T>> {
    let items = list.get("items").and_then(Value::as_array).context("the list has no items")?;
    items.iter().map(|item| Ok(serde_json::from_value(item.clone())?)).collect()
}
