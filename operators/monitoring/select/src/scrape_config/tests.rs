//! Checks of ScrapeConfigs.

use api_monitoring::ScrapeConfig;
use serde_json::{Value, json};

use crate::sample::checked;

fn problem(version: &str, spec: &Value) -> String {
    checked::<ScrapeConfig>(version, &json!({"scrapeInterval": "30s"}), spec)
}

/// A field, a discovery in it, the last version that lacks it, the first that has it, and how it is rejected.
const VERSIONS: [(&str, &str, &str, &str, &str); 21] = [
    (
        "httpSDConfigs",
        r#"{"url": "http://a"}"#,
        "2.27.0",
        "2.28.0",
        "httpSDConfigs: HTTP SD configuration is only supported for Prometheus version >= 2.28.0",
    ),
    (
        "digitalOceanSDConfigs",
        "{}",
        "2.19.0",
        "2.20.0",
        "digitalOceanSDConfigs: service discovery for Digital Ocean is only supported for Prometheus version >= 2.20.0",
    ),
    (
        "linodeSDConfigs",
        "{}",
        "2.27.0",
        "2.28.0",
        "linodeSDConfigs: linode SD configuration is only supported for Prometheus version >= 2.28.0",
    ),
    (
        "dockerSwarmSDConfigs",
        r#"{"host": "unix:///a"}"#,
        "2.19.0",
        "2.20.0",
        "dockerswarmSDConfigs: dockerswarm SD configuration is only supported for Prometheus version >= 2.20.0",
    ),
    (
        "puppetDBSDConfigs",
        r#"{"url": "https://a"}"#,
        "2.30.0",
        "2.31.0",
        "puppetDBSDConfigs: puppetDB SD configuration is only supported for Prometheus version >= 2.31.0",
    ),
    (
        "lightSailSDConfigs",
        "{}",
        "2.26.0",
        "2.27.0",
        "lightSailSDConfigs: lightSail SD configuration is only supported for Prometheus version >= 2.27.0",
    ),
    (
        "ovhcloudSDConfigs",
        r#"{"applicationSecret": {"name": "secret", "key": "key"}, "consumerKey": {"name": "secret", "key": "key"}}"#,
        "2.39.0",
        "2.40.0",
        "OVHCloudSDConfigs: OVHCloud SD configuration is only supported for Prometheus version >= 2.40.0",
    ),
    (
        "scalewaySDConfigs",
        r#"{"secretKey": {"name": "secret", "key": "key"}}"#,
        "2.25.0",
        "2.26.0",
        "ScalewaySDConfigs: ScaleWay SD configuration is only supported for Prometheus version >= 2.26.0",
    ),
    (
        "ionosSDConfigs",
        "{}",
        "2.35.0",
        "2.36.0",
        "IonosSDConfigs: IONOS SD configuration is only supported for Prometheus version >= 2.36.0",
    ),
    (
        "kubernetesSDConfigs",
        r#"{"role": "EndpointSlice"}"#,
        "2.20.0",
        "2.21.0",
        "kubernetesSDConfigs: [0]: EndpointSlice role is only supported for Prometheus version >= 2.21.0",
    ),
    (
        "consulSDConfigs",
        r#"{"pathPrefix": "a"}"#,
        "2.44.0",
        "2.45.0",
        "consulSDConfigs: field `config.PathPrefix` is only supported for Prometheus version >= 2.45.0",
    ),
    (
        "consulSDConfigs",
        r#"{"namespace": "a"}"#,
        "2.27.0",
        "2.28.0",
        "consulSDConfigs: field `config.Namespace` is only supported for Prometheus version >= 2.28.0",
    ),
    (
        "consulSDConfigs",
        r#"{"filter": "a"}"#,
        "2.55.0",
        "3.0.0-rc.0",
        "consulSDConfigs: field `config.Filter` is only supported for Prometheus version >= 3.0.0",
    ),
    (
        "consulSDConfigs",
        r#"{"healthFilter": "a"}"#,
        "3.11.1",
        "3.11.2",
        "consulSDConfigs: field `config.HealthFilter` is only supported for Prometheus version >= 3.11.2",
    ),
    (
        "kumaSDConfigs",
        r#"{"server": "http://a", "clientID": "a"}"#,
        "2.49.0",
        "2.50.0",
        "kumaSDConfigs: field `clientID` in kuma SD configuration is only supported for Prometheus version >= 2.50.0",
    ),
    (
        "azureSDConfigs",
        r#"{"authenticationMethod": "SDK"}"#,
        "2.51.0",
        "2.52.0",
        "azureSDConfigs: [0]: SDK authentication is only supported from Prometheus version 2.52.0",
    ),
    (
        "azureSDConfigs",
        r#"{"authenticationMethod": "ManagedIdentity", "resourceGroup": "a"}"#,
        "2.34.0",
        "2.35.0",
        "azureSDConfigs: [0]: ResourceGroup is only supported from Prometheus version >= 2.35.0",
    ),
    (
        "azureSDConfigs",
        r#"{"authenticationMethod": "WorkloadIdentity"}"#,
        "3.10.0",
        "3.11.0",
        "azureSDConfigs: [0]: WorkloadIdentity authentication is only supported from Prometheus version 3.11.0",
    ),
    (
        "openstackSDConfigs",
        r#"{"role": "LoadBalancer"}"#,
        "3.1.0",
        "3.2.0",
        "openstackSDConfigs: [0]: The LoadBalancer role is only supported from Prometheus version 3.2.0",
    ),
    (
        "dockerSDConfigs",
        r#"{"matchFirstNetwork": true}"#,
        "2.54.0",
        "2.54.1",
        "dockerSDConfigs: [0]: field `matchFirstNetwork` is only supported for Prometheus version >= 2.54.1",
    ),
    (
        "hetznerSDConfigs",
        r#"{"labelSelector": "a"}"#,
        "3.4.0",
        "3.5.0",
        "hetznerSDConfigs: [0]: field `labelSelector` is only supported for Prometheus version >= 3.5.0",
    ),
];

#[test]
fn a_version_rejects_only_the_discoveries_that_it_lacks() {
    assert_eq!(problem("2.0.0", &json!({"staticConfigs": [{"targets": ["a:80"]}]})), "good");
    assert_eq!(problem("2.0.0", &json!({"kubernetesSDConfigs": [{"role": "Pod"}]})), "good");
    for (field, config, before, since, words) in VERSIONS {
        let config: Value = serde_json::from_str(config).unwrap();
        let spec = json!({field: [config]});
        assert_eq!(problem(before, &spec), words);
        assert_eq!(problem(since, &spec), "good", "{field} at {since}");
    }
}

#[test]
fn invalid_discoveries_are_rejected() {
    for (spec, words) in [
        (
            json!({"dnsSDConfigs": [{"type": "SRV"}, {"type": "A", "port": 80}, {"type": "A"}]}),
            "dnsSDConfigs: [2]: port required for record type \"A\"",
        ),
        (
            json!({"kubernetesSDConfigs": [{"apiServer": "a", "namespaces": {"ownNamespace": true}}]}),
            "kubernetesSDConfigs: [0]: cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously",
        ),
        (
            json!({"kubernetesSDConfigs": [{"role": "Any", "selectors": [{"role": "Pod"}]}]}),
            "kubernetesSDConfigs: [0]: invalid role: \"Pod\", expecting one of: pod, service, endpoints, endpointslice, node or ingress",
        ),
        (
            json!({"kubernetesSDConfigs": [{"role": "Endpoints", "selectors": [{"role": "Node"}]}]}),
            "kubernetesSDConfigs: [0] : Endpoints role supports only pod, service, endpoints selectors",
        ),
        (
            json!({"kubernetesSDConfigs": [{"role": "Pod", "selectors": [{"role": "pod", "field": "a"}]}]}),
            "kubernetesSDConfigs: [0]: invalid selector: 'a'; can't understand 'a'",
        ),
        (
            json!({"kubernetesSDConfigs": [{"role": "Pod", "selectors": [{"role": "pod", "label": "a,"}]}]}),
            "kubernetesSDConfigs: [0]: found '', expected: identifier after ','",
        ),
        (json!({"azureSDConfigs": [{}]}), "azureSDConfigs: [0]: configuration requires a tenantID"),
        (
            json!({"azureSDConfigs": [{"tenantID": "a"}]}),
            "azureSDConfigs: [0]: configuration requires a clientID",
        ),
        (
            json!({"azureSDConfigs": [{"tenantID": "a", "clientID": "a"}]}),
            "azureSDConfigs: [0]: configuration requires a clientSecret",
        ),
        (
            json!({"httpSDConfigs": [{"url": ":"}]}),
            "httpSDConfigs: [0]: parse \":\": missing protocol scheme",
        ),
        (
            json!({"puppetDBSDConfigs": [{"url": "http:///a"}]}),
            "puppetDBSDConfigs: [0]: host is missing in URL",
        ),
        (
            json!({"consulSDConfigs": [{"tokenRef": {"name": "none", "key": "a"}}]}),
            "consulSDConfigs: [0]: unable to get secret \"none\": secrets \"none\" not found",
        ),
        (
            json!({"openstackSDConfigs": [{"applicationCredentialSecret": {"name": "secret", "key": "a"}}]}),
            "openstackSDConfigs: [0]: key \"a\" in secret \"secret\" not found",
        ),
        (json!({"scrapeTimeout": "1m"}), "scrapeTimeout \"1m\" greater than scrapeInterval \"30s\""),
    ] {
        assert_eq!(problem("3.13.1", &spec), words);
    }
}
