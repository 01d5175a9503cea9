//! Fields in the version that introduced them, and in the one before.

use api_monitoring::scrape::AttachMetadata;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use api_monitoring::scrape_config::discovery::Filter;
use api_monitoring::scrape_config::discovery::client::{Connection, DiscoveryClient, TokenClient};
use api_monitoring::scrape_config::discovery::dns::DnsSdConfig;
use api_monitoring::scrape_config::discovery::docker::DockerSdConfig;
use api_monitoring::scrape_config::discovery::ec2::Ec2SdConfig;
use api_monitoring::scrape_config::discovery::hetzner::HetznerSdConfig;
use api_monitoring::scrape_config::discovery::http::HttpSdConfig;
use api_monitoring::scrape_config::discovery::kubernetes::{KubernetesSdConfig, SelectorConfig};
use api_monitoring::tls::SafeTlsConfig;

use super::written;

fn kubernetes(role: &str, node: Option<bool>) -> ScrapeConfigSpec {
    let config = KubernetesSdConfig {
        role: role.into(),
        attach_metadata: Some(AttachMetadata { node }),
        ..KubernetesSdConfig::default()
    };
    ScrapeConfigSpec { kubernetes_sd_configs: vec![config], ..Default::default() }
}

#[test]
fn metadata_is_attached_if_the_version_supports_it() {
    let with = |role: &str, node: &str| {
        format!("kubernetes_sd_configs:\n- role: {role}\n  attach_metadata:\n    node: {node}\n")
    };
    let without = |role: &str, versions: &str| {
        let head = format!("kubernetes_sd_configs:\n- role: {role}\n");
        format!("{head}attach_metadata is left out: it needs Prometheus {versions}\n")
    };
    let any = "2.35 or later and the role Pod, or 2.37 or later and the role Endpoints or EndpointSlice";
    for (version, role, node, expected) in [
        ("2.34.0", "Pod", Some(true), without("pod", "2.35 or later")),
        ("2.35.0", "Pod", Some(true), with("pod", "true")),
        ("2.36.2", "Endpoints", Some(true), without("endpoints", "2.37 or later")),
        ("2.37.0", "Endpoints", Some(false), with("endpoints", "false")),
        ("2.37.0", "EndpointSlice", None, with("endpointslice", "null")),
        ("3.0.0", "Node", Some(true), without("node", any)),
    ] {
        assert_eq!(written(version, &kubernetes(role, node)).unwrap(), expected, "{role} {version}");
    }
}

#[test]
fn old_versions_have_neither_endpoint_slices_nor_selectors() {
    let selectors = vec![
        SelectorConfig { role: "Pod".into(), label: Some("app=web".into()), field: None },
        SelectorConfig { role: "Node".into(), label: None, field: Some("metadata.name=a".into()) },
    ];
    let config =
        KubernetesSdConfig { role: "EndpointSlice".into(), selectors, ..KubernetesSdConfig::default() };
    let spec = ScrapeConfigSpec { kubernetes_sd_configs: vec![config], ..Default::default() };
    assert_eq!(
        written("2.16.0", &spec).unwrap(),
        "kubernetes_sd_configs:\n- {}\n\
         role endpointslice is left out: it needs Prometheus 2.21 or later\n\
         selectors is left out: it needs Prometheus 2.17 or later\n"
    );
    assert_eq!(
        written("2.21.0", &spec).unwrap(),
        "kubernetes_sd_configs:\n- role: endpointslice\n  selectors:\n  - role: pod\n    label: app=web\n  - role: node\n    field: metadata.name=a\n"
    );
}

#[test]
fn a_type_of_dns_records_is_written_if_the_version_has_it() {
    let dns = |record: &str| {
        let config = DnsSdConfig { type_: Some(record.into()), port: Some(9100), ..DnsSdConfig::default() };
        ScrapeConfigSpec { dns_sd_configs: vec![config], ..Default::default() }
    };
    for (version, record, has) in [
        ("2.0.0", "SRV", true),
        ("2.37.9", "MX", false),
        ("2.38.0", "MX", true),
        ("2.48.1", "NS", false),
        ("2.49.0", "NS", true),
    ] {
        let found = written(version, &dns(record)).unwrap();
        let line = format!("  type: {record}\n");
        let (line, left_out) = if has {
            (line, String::new())
        } else {
            let since = if record == "MX" { "2.38" } else { "2.49" };
            let left_out =
                format!("dns_sd_configs.type {record} is left out: it needs Prometheus {since} or later\n");
            (String::new(), left_out)
        };
        assert_eq!(found, format!("dns_sd_configs:\n- names: []\n{line}  port: 9100\n{left_out}"));
    }
}

#[test]
fn client_options_of_ec2_need_a_later_version() {
    let filter = |name: &str, value: &str| Filter { name: name.into(), values: vec![value.into()] };
    let ec2 = Ec2SdConfig {
        filters: vec![filter("b", "1"), filter("a", "2"), filter("b", "0")],
        connection: Connection {
            tls_config: Some(SafeTlsConfig::default()),
            follow_redirects: Some(true),
            enable_http2: Some(false),
            ..Connection::default()
        },
        ..Ec2SdConfig::default()
    };
    let spec = ScrapeConfigSpec { ec2_sd_configs: vec![ec2], ..Default::default() };
    let filters = "ec2_sd_configs:\n- filters:\n  - name: a\n    values:\n    - \"2\"\n  - name: b\n    values:\n    - \"1\"\n  - name: b\n    values:\n    - \"0\"\n";
    assert_eq!(
        written("2.41.0", &spec).unwrap(),
        format!("{filters}  follow_redirects: true\n  enable_http2: false\n  tls_config: {{}}\n")
    );
    let left_out = ["enable_http2", "follow_redirects", "tls_config"]
        .map(|field| format!("{field} is left out: it needs Prometheus 2.41 or later\n"))
        .concat();
    assert_eq!(written("2.40.7", &spec).unwrap(), format!("{filters}{left_out}"));
    let http = HttpSdConfig {
        url: "http://web".into(),
        client: DiscoveryClient {
            tokens: TokenClient {
                connection: Connection {
                    follow_redirects: Some(true),
                    enable_http2: Some(false),
                    ..Connection::default()
                },
                ..TokenClient::default()
            },
            ..DiscoveryClient::default()
        },
        ..HttpSdConfig::default()
    };
    let spec = ScrapeConfigSpec { http_sd_configs: vec![http], ..Default::default() };
    assert_eq!(
        written("2.0.0", &spec).unwrap(),
        "http_sd_configs:\n- url: http://web\n  follow_redirects: true\n  enable_http2: false\n"
    );
}

#[test]
fn single_fields_need_a_version() {
    let docker = DockerSdConfig {
        host: "unix:///d".into(),
        match_first_network: Some(false),
        ..DockerSdConfig::default()
    };
    let docker = ScrapeConfigSpec { docker_sd_configs: vec![docker], ..Default::default() };
    assert_eq!(
        written("2.54.1", &docker).unwrap(),
        "docker_sd_configs:\n- host: unix:///d\n  match_first_network: false\n"
    );
    assert_eq!(
        written("2.54.0", &docker).unwrap(),
        "docker_sd_configs:\n- host: unix:///d\nmatch_first_network is left out: it needs Prometheus 2.54.1 or later\n"
    );
    let hetzner = |selector: &str| {
        let config = HetznerSdConfig {
            role: "Robot".into(),
            label_selector: Some(selector.into()),
            ..HetznerSdConfig::default()
        };
        ScrapeConfigSpec { hetzner_sd_configs: vec![config], ..Default::default() }
    };
    let head = "hetzner_sd_configs:\n- role: robot\n";
    assert_eq!(written("3.5.0", &hetzner("a=b")).unwrap(), format!("{head}  label_selector: a=b\n"));
    assert_eq!(
        written("3.4.2", &hetzner("a=b")).unwrap(),
        format!("{head}label_selector is left out: it needs Prometheus 3.5 or later\n")
    );
    assert_eq!(written("3.5.0", &hetzner("")).unwrap(), head);
}
