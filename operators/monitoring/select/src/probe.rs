//! Checks of Probes.

use api_monitoring::Probe;
use api_monitoring::probe::ProbeSpec;
use go_syntax::quoted::Quoted;
use monitoring_assets::Objects;

use crate::problem::{Problem, Within, broken};
use crate::references::{Accepted, References, Rejected};
use crate::selectable::Selectable;
use crate::server::Server;
use crate::{host, scrape_class};

impl Selectable for Probe {
    fn check<'o>(&self, server: &Server<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Rejected> {
        References::check(objects, self.metadata.namespace.as_deref().unwrap_or_default(), |references| {
            check_spec(server, &self.spec, references)
        })
    }
}

fn check_spec(server: &Server<'_>, spec: &ProbeSpec, references: &References<'_>) -> Result<(), Problem> {
    scrape_class::check(server, spec.job.scrape_class.as_deref()).within("scrapeClassName")?;
    if spec.targets.static_config.is_none() && spec.targets.ingress.is_none() {
        return broken("at least one of .spec.targets.staticConfig and .spec.targets.ingress is required");
    }
    let client = &spec.client;
    references.optional_secret(client.bearer_token_secret.as_ref()).within("bearerTokenSecret")?;
    references.basic_auth(client.basic_auth.as_ref()).within("basicAuth")?;
    references.safe_tls(spec.tls_config.as_ref()).within("tlsConfig")?;
    references.safe_authorization(client.authorization.as_ref()).within("authorization")?;
    references.oauth2(client.oauth2.as_ref()).within("oauth2")?;
    server.check_timeout(&spec.scrape_timeout, &spec.interval)?;
    server.relabeling.check_all(&spec.metric_relabelings).within("metricRelabelConfigs")?;
    check_targets(server, spec)?;
    references.proxy(&spec.prober.proxy).within("proxy configuration")?;
    host::check(&spec.prober.url).within(format_args!(
        "{} url specified in proberSpec is invalid, it should be of the format `hostname` or `hostname:port`",
        Quoted(&spec.prober.url)
    ))
}

fn check_targets(server: &Server<'_>, spec: &ProbeSpec) -> Result<(), Problem> {
    let relabeling = &server.relabeling;
    if let Some(targets) = &spec.targets.static_config {
        server.check_label_names(targets.labels.keys()).within("targets.staticConfig.labels")?;
        relabeling.check_all(&targets.relabeling_configs).within("targets.staticConfig.relabelConfigs")?;
    }
    if let Some(ingress) = &spec.targets.ingress {
        relabeling.check_all(&ingress.relabeling_configs).within("targets.ingress.relabelConfigs")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample::checked;

    fn problem(mut spec: Value) -> String {
        spec["prober"]["url"] = spec["prober"]["url"].as_str().unwrap_or("prober:9115").into();
        checked::<Probe>("2.55.0", &json!({}), &spec)
    }

    #[test]
    fn invalid_probes_are_rejected() {
        let targets = json!({"ingress": {}});
        for (spec, words) in [
            (json!({"targets": targets}), "good"),
            (json!({}), "at least one of .spec.targets.staticConfig and .spec.targets.ingress is required"),
            (
                json!({"targets": {"staticConfig": {"labels": {"b-c": "", "a": ""}}}}),
                "targets.staticConfig.labels: invalid label \"b-c\"",
            ),
            (
                json!({"targets": targets, "bearerTokenSecret": {"name": "", "key": ""}}),
                "bearerTokenSecret: unable to get secret \"\": secrets \"\" not found",
            ),
            (
                json!({"targets": targets, "prober": {"url": "http://a"}}),
                "\"http://a\" url specified in proberSpec is invalid, it should be of the format `hostname` or `hostname:port`: invalid port: \"//a\"",
            ),
            (
                json!({"targets": targets, "scrapeTimeout": "1s"}),
                "invalid scrapeInterval \"\": empty duration string",
            ),
        ] {
            assert_eq!(problem(spec), words);
        }
    }
}
