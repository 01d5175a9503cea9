//! The ten CRDs of `monitoring.coreos.com`.

use anyhow::{Context, Result};
use api_monitoring::alertmanager::AlertmanagerSpec;
use api_monitoring::alertmanager_config::AlertmanagerConfigSpec;
use api_monitoring::pod_monitor::PodMonitorSpec;
use api_monitoring::probe::ProbeSpec;
use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus_agent::PrometheusAgentSpec;
use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use api_monitoring::service_monitor::ServiceMonitorSpec;
use api_monitoring::status::{AlertmanagerStatus, ConfigResourceStatus, PrometheusStatus, ThanosRulerStatus};
use api_monitoring::thanos_ruler::ThanosRulerSpec;
use api_monitoring::{
    Alertmanager, AlertmanagerConfig, PodMonitor, Probe, Prometheus, PrometheusAgent, PrometheusRule,
    ScrapeConfig, ServiceMonitor, ThanosRuler,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceValidation,
};
use kube::CustomResourceExt;
use schemars::JsonSchema;
use serde_json::Value;

use super::{alertmanager_config, structural};

/// All ten.
pub(super) fn definitions() -> Result<Vec<CustomResourceDefinition>> {
    Ok(vec![
        definition::<Alertmanager, AlertmanagerSpec, AlertmanagerStatus>()?,
        in_two_versions(definition::<AlertmanagerConfig, AlertmanagerConfigSpec, ConfigResourceStatus>()?)?,
        definition::<PodMonitor, PodMonitorSpec, ConfigResourceStatus>()?,
        definition::<Probe, ProbeSpec, ConfigResourceStatus>()?,
        definition::<Prometheus, PrometheusSpec, PrometheusStatus>()?,
        definition::<PrometheusAgent, PrometheusAgentSpec, PrometheusStatus>()?,
        definition::<PrometheusRule, PrometheusRuleSpec, ConfigResourceStatus>()?,
        definition::<ScrapeConfig, ScrapeConfigSpec, ConfigResourceStatus>()?,
        definition::<ServiceMonitor, ServiceMonitorSpec, ConfigResourceStatus>()?,
        definition::<ThanosRuler, ThanosRulerSpec, ThanosRulerStatus>()?,
    ])
}

/// The CRD with `v1beta1` in addition to the stored version. It is not served: without a conversion webhook, the API
/// server would store its fields under names that no program reads.
fn in_two_versions(mut definition: CustomResourceDefinition) -> Result<CustomResourceDefinition> {
    let stored = definition.spec.versions.first_mut().context("no version")?;
    let mut other = stored.clone();
    let schema =
        serde_json::to_value(stored.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref()))?;
    other.name = "v1beta1".into();
    other.storage = false;
    other.served = false;
    other.schema = Some(validation(alertmanager_config::v1beta1(&schema)?, "AlertmanagerConfig v1beta1")?);
    stored.schema = Some(validation(alertmanager_config::briefly_described(schema)?, "AlertmanagerConfig")?);
    definition.spec.versions.push(other);
    Ok(definition)
}

/// Names, columns and subresources come from the kind; the schema is generated here, where it can be completed.
fn definition<Kind: CustomResourceExt, Spec: JsonSchema, Status: JsonSchema>()
-> Result<CustomResourceDefinition> {
    let mut definition = Kind::crd();
    let name = definition.spec.names.kind.clone();
    for version in &mut definition.spec.versions {
        let description = version
            .schema
            .as_ref()
            .and_then(|schema| schema.open_api_v3_schema.as_ref()?.description.clone())
            .unwrap_or_default();
        let schema = structural::resource::<Spec, Status>(&description)?;
        version.schema = Some(validation(schema, &name)?);
    }
    Ok(definition)
}

fn validation(schema: Value, name: &str) -> Result<CustomResourceValidation> {
    let schema = serde_json::from_value(schema).with_context(|| format!("the schema of {name}"))?;
    Ok(CustomResourceValidation { open_api_v3_schema: Some(schema) })
}
