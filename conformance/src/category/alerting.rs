//! Cases of `alerting` in `operators/monitoring`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use api_monitoring::alertmanager_config::receiver::HttpConfig;
use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::alertmanager::global::Global;
use formats::alertmanager::http::HttpClient;
use formats::alertmanager::inhibit::InhibitRule;
use formats::alertmanager::receiver::Receiver;
use formats::alertmanager::route::Route;
use formats::alertmanager::time::TimeInterval;
use formats::alertmanager::{Config, Fit, Fitting};
use formats::version::Version;
use formats::yaml::serde::{from_text, to_value};
use monitoring_alerting::convert::Convert;
use monitoring_alerting::merge::{MergeTarget, join};
use monitoring_alerting::provision::Base;
use monitoring_alerting::{BaseInputs, global, raw_configuration, version};
use monitoring_assets::Reader;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Runner;
use crate::case::{Case, Expected};
use crate::compare::{self, Found, Outcome};
use crate::configuration::ALERTMANAGER_VERSION;

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("AddAlertmanagerConfigs", |case| compare::text(case, found(add(case)))),
    ("initializeFromAlertmanagerConfig", |case| compare::text(case, found(initialize(case)))),
    ("alertmanagerConfigFromBytes", |case| compare::text(case, found(read(case)))),
    ("convertHTTPConfig", |case| compare::text(case, found(http(case)))),
    ("sanitize", |case| compare::text(case, found(sanitize(case)))),
    ("provisionAlertmanagerConfiguration", provisioned),
];

/// A result for the comparison.
fn found(result: Result<impl Into<Value>>) -> Found {
    result.map(Into::into).map_err(|error| error.to_string())
}

fn version_of(case: &Case) -> Result<Version> {
    let text = case.inputs.pointer("/options/effectiveVersion").and_then(Value::as_str);
    Ok(formats::version::parse(text.context("the case has no version")?)?)
}

/// The base is not validated, because the Prometheus Operator got a parsed value. We leave out an invalid object, where the
/// Prometheus Operator writes nothing: such cases are documented differences.
fn add(case: &Case) -> Result<String> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    let resources: BTreeMap<String, AlertmanagerConfig> = case.input("alertmanagerConfigs")?;
    let base = Config::from_text(&case.input::<String>("baseConfig")?)?;
    let (version, objects) = (version_of(case)?, case.objects()?);
    let target = MergeTarget {
        namespace: alertmanager.metadata.namespace.as_deref().unwrap_or_default(),
        strategy: &alertmanager.spec.alertmanager_config_matcher_strategy,
        version: &version,
        objects: &objects,
    };
    let parts: Vec<_> =
        resources.values().filter_map(|resource| target.part(resource, base.global.as_ref()).ok()).collect();
    Ok(join(base, &parts, &version)?.0.to_text()?)
}

fn initialize(case: &Case) -> Result<String> {
    let resource: AlertmanagerConfig = case.input("alertmanagerConfig")?;
    let global: Option<AlertmanagerGlobalConfig> = case.input("globalConfig")?;
    let (config, _) = global::base(&resource, global.as_ref(), &version_of(case)?, &case.objects()?)?;
    Ok(config.to_text()?)
}

fn read(case: &Case) -> Result<String> {
    Ok(raw_configuration::read(&case.input::<String>("rawConfig")?)?.to_text()?)
}

fn http(case: &Case) -> Result<String> {
    let config: Option<HttpConfig> = case.input("httpConfig")?;
    let (objects, version) = (case.objects()?, version_of(case)?);
    let reader = Reader::new(&objects, case.input::<String>("namespace")?);
    let convert = Convert { reader: &reader, version: &version, name: "", global: None };
    let written = config.map(|config| convert.http(&config)).transpose()?;
    Ok(formats::yaml::write(&to_value(&written)?))
}

fn sanitize(case: &Case) -> Result<String> {
    let kind: String = case.input("type")?;
    match kind.as_str() {
        "alertmanagerConfig" => fitted::<Config>(case),
        "globalConfig" => fitted::<Global>(case),
        "httpClientConfig" => fitted::<HttpClient>(case),
        "inhibitRule" => fitted::<InhibitRule>(case),
        "receiver" => fitted::<Receiver>(case),
        "route" => fitted::<Route>(case),
        "timeInterval" => fitted::<TimeInterval>(case),
        other => anyhow::bail!("unknown type {other}"),
    }
}

fn fitted<T: DeserializeOwned + Serialize + Fit>(case: &Case) -> Result<String> {
    let mut part: T = from_text(&case.input::<String>("config")?)?;
    part.fit(&Fitting::new(&version_of(case)?))?;
    Ok(formats::yaml::write(&to_value(&part)?))
}

/// Compares only the data of the Secret: its name and labels are built elsewhere.
fn provisioned(case: &Case) -> Outcome {
    let mut case = case.clone();
    if let Expected::Output(output) = &mut case.expected {
        *output = output["data"].take();
    }
    compare::data(&case, found(secret(&case)))
}

fn secret(case: &Case) -> Result<Value> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    let version = match alertmanager.spec.version.as_str() {
        "" => version::read(ALERTMANAGER_VERSION)?,
        text => version::read(text)?,
    };
    let resource: Option<AlertmanagerConfig> = case.input("alertmanagerConfig")?;
    let resources: BTreeMap<String, AlertmanagerConfig> = case.input("alertmanagerConfigs")?;
    let objects = case.objects()?;
    let inputs = BaseInputs {
        alertmanager: &alertmanager,
        global: resource.as_ref(),
        objects: &objects,
        version: &version,
    };
    let configuration = match inputs.base()? {
        Base::Whole(configuration) => configuration,
        Base::Started(started) => {
            let part = |resource| inputs.target().part(resource, started.global()).ok();
            let parts: Vec<_> = resources.values().filter_map(part).collect();
            started.finish(&parts, &version)?
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut data = json!({"alertmanager.yaml.gz (decompressed)": text(&configuration.text)});
    for (key, value) in &configuration.others {
        data[key] = text(&value.0).into();
    }
    Ok(data)
}
