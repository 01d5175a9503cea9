//! Unusual values and missing Secrets.

use api_monitoring::auth::{BasicAuth, OAuth2, SafeAuthorization};
use api_monitoring::http::ProxyConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use api_monitoring::scrape_config::discovery::azure::AzureSdConfig;
use api_monitoring::scrape_config::discovery::client::{Connection, DiscoveryClient, TokenClient};
use api_monitoring::scrape_config::discovery::consul::ConsulSdConfig;
use api_monitoring::scrape_config::discovery::ec2::Ec2SdConfig;
use api_monitoring::scrape_config::discovery::ionos::IonosSdConfig;
use api_monitoring::scrape_config::discovery::lightsail::LightSailSdConfig;
use api_monitoring::scrape_config::discovery::openstack::OpenStackSdConfig;
use api_monitoring::scrape_config::discovery::ovhcloud::OvhCloudSdConfig;
use api_monitoring::scrape_config::discovery::static_targets::StaticConfig;
use api_monitoring::tls::SafeTlsConfig;
use k8s_openapi::api::core::v1::SecretKeySelector;

use super::{key, written};

#[test]
fn labels_are_in_natural_order_and_an_empty_element_stays() {
    let labels = ["a10", "a2", "B"].map(|name| (name.to_owned(), "x".to_owned()));
    let filled = StaticConfig { targets: vec!["web:80".into()], labels: labels.into() };
    let spec =
        ScrapeConfigSpec { static_configs: vec![filled, StaticConfig::default()], ..Default::default() };
    assert_eq!(
        written("3.0.0", &spec).unwrap(),
        "static_configs:\n- targets:\n  - web:80\n  labels:\n    B: x\n    a2: x\n    a10: x\n- targets: []\n  labels: {}\n"
    );
    let spec = ScrapeConfigSpec { ec2_sd_configs: vec![Ec2SdConfig::default()], ..Default::default() };
    assert_eq!(written("3.0.0", &spec).unwrap(), "ec2_sd_configs:\n- {}\n");
}

#[test]
fn azure_has_an_environment_or_credentials() {
    let azure = |environment: Option<String>| {
        let connection = Connection {
            proxy: ProxyConfig { proxy_url: Some("http://proxy".into()), ..ProxyConfig::default() },
            follow_redirects: Some(true),
            tls_config: Some(SafeTlsConfig::default()),
            ..Connection::default()
        };
        let client = DiscoveryClient {
            basic_auth: Some(BasicAuth { username: key("known"), password: key("unknown") }),
            tokens: TokenClient { connection, ..TokenClient::default() },
        };
        let config = AzureSdConfig {
            environment,
            client,
            tenant_id: Some("t".into()),
            client_secret: Some(key("known")),
            ..AzureSdConfig::default()
        };
        ScrapeConfigSpec { azure_sd_configs: vec![config], ..Default::default() }
    };
    assert_eq!(
        written("3.0.0", &azure(Some("AzurePublicCloud".into()))).unwrap(),
        "azure_sd_configs:\n- environment: AzurePublicCloud\n  tenant_id: t\n  client_secret: secret\n"
    );
    assert_eq!(
        written("3.0.0", &azure(None)).unwrap(),
        "azure_sd_configs:\n- basic_auth:\n    username: secret\n    password: \"\"\n  proxy_url: http://proxy\n  tenant_id: t\n  client_secret: secret\n"
    );
}

#[test]
fn ionos_has_an_authorization_unless_it_has_oauth2() {
    let ionos = |oauth2: Option<OAuth2>| {
        let authorization = SafeAuthorization { credentials: Some(key("known")), ..Default::default() };
        let client = TokenClient { authorization: Some(authorization), oauth2, ..TokenClient::default() };
        let config = IonosSdConfig { datacenter_id: "d".into(), client, ..IonosSdConfig::default() };
        ScrapeConfigSpec { ionos_sd_configs: vec![config], ..Default::default() }
    };
    assert_eq!(
        written("3.0.0", &ionos(None)).unwrap(),
        "ionos_sd_configs:\n- authorization:\n    type: Bearer\n    credentials: secret\n  datacenter_id: d\n"
    );
    let oauth2 = OAuth2 {
        client_id: SecretOrConfigMap { secret: Some(key("known")), config_map: None },
        client_secret: key("known"),
        token_url: "http://token".into(),
        ..OAuth2::default()
    };
    assert_eq!(
        written("3.0.0", &ionos(Some(oauth2))).unwrap(),
        "ionos_sd_configs:\n- oauth2:\n    client_id: secret\n    client_secret: secret\n    token_url: http://token\n  datacenter_id: d\n"
    );
    assert_eq!(
        written("3.0.0", &ionos(Some(OAuth2::default()))).unwrap(),
        "ionos_sd_configs:\n- datacenter_id: d\n"
    );
}

#[test]
fn an_unknown_service_of_ovhcloud_is_left_out() {
    let config = OvhCloudSdConfig {
        application_key: "a".into(),
        application_secret: key("known"),
        consumer_key: key("unknown"),
        service: "Mainframe".into(),
        ..OvhCloudSdConfig::default()
    };
    let spec = ScrapeConfigSpec { ovhcloud_sd_configs: vec![config], ..Default::default() };
    assert_eq!(
        written("3.0.0", &spec).unwrap(),
        "ovhcloud_sd_configs:\n- application_key: a\n  application_secret: secret\n  consumer_key: \"\"\n\
         ovhcloud_sd_configs.service Mainframe is left out: it needs Prometheus in a later version than this operator knows\n"
    );
}

#[test]
fn a_discovery_that_needs_a_secret_is_rejected_without_it() {
    let (known, unknown) = (Some(key("known")), Some(key("unknown")));
    let consul = ConsulSdConfig { token_ref: unknown.clone(), ..ConsulSdConfig::default() };
    let azure = AzureSdConfig { client_secret: unknown.clone(), ..AzureSdConfig::default() };
    let ec2 = |access_key: &Option<SecretKeySelector>, secret_key: &Option<SecretKeySelector>| {
        let config = Ec2SdConfig {
            access_key: access_key.clone(),
            secret_key: secret_key.clone(),
            ..Ec2SdConfig::default()
        };
        ScrapeConfigSpec { ec2_sd_configs: vec![config], ..Default::default() }
    };
    let lightsail = LightSailSdConfig {
        access_key: known.clone(),
        secret_key: unknown.clone(),
        ..LightSailSdConfig::default()
    };
    let password = OpenStackSdConfig { password: unknown.clone(), ..OpenStackSdConfig::default() };
    let application =
        OpenStackSdConfig { application_credential_secret: unknown.clone(), ..OpenStackSdConfig::default() };
    let all = |spec: ScrapeConfigSpec, attempt: &str| {
        let reason = "key \"unknown\" in secret default/keys not found";
        let rejection = format!("failed to {attempt} scrapeConfig/default/web: {reason}");
        assert_eq!(written("3.0.0", &spec), Err(rejection));
    };
    all(ScrapeConfigSpec { consul_sd_configs: vec![consul], ..Default::default() }, "read keys secret");
    all(ScrapeConfigSpec { azure_sd_configs: vec![azure], ..Default::default() }, "get keys client secret");
    all(ec2(&unknown, &known), "get keys access key");
    all(ec2(&known, &unknown), "get keys access key");
    all(
        ScrapeConfigSpec { light_sail_sd_configs: vec![lightsail], ..Default::default() },
        "get keys access key",
    );
    all(ScrapeConfigSpec { openstack_sd_configs: vec![password], ..Default::default() }, "read keys secret");
    all(
        ScrapeConfigSpec { openstack_sd_configs: vec![application], ..Default::default() },
        "read keys secret",
    );
    // AWS cannot use one of the two keys alone.
    assert_eq!(written("3.0.0", &ec2(&unknown, &None)), Ok("ec2_sd_configs:\n- {}\n".to_owned()));
}
