//! DNS inside the cluster, and no access to other networks.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::wait::{Look, holds};
use e2e::workloads::{self, Address, PORT};

/// A pod that serves its host name.
fn server() -> k8s_openapi::api::core::v1::PodSpec {
    let script =
        format!("mkdir /tmp/www; hostname >/tmp/www/index.html; httpd -p {PORT} -h /tmp/www; {IDLE}");
    let mut container = pods::shell(&script);
    container.readiness_probe = Some(pods::probe(&format!("wget -q -O /dev/null http://127.0.0.1:{PORT}/")));
    pods::spec(container)
}

/// The content of a page, once the name resolves and a server responds.
async fn page(namespace: &Namespace, url: &str) -> Result<String> {
    namespace
        .until(&format!("a response from {url}"), async || {
            let output = pods::exec(&namespace.pods(), "client", &format!("wget -q -O - {url}")).await?;
            Ok(if output.success {
                Look::Found(output.stdout.trim().to_owned())
            } else {
                Look::NotYet(output.stderr)
            })
        })
        .await
}

#[tokio::test]
async fn services_and_their_pods_have_names() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "dns").await?;
    namespace.add(&workloads::service("web", "web", Address::PerPod)).await?;
    namespace.add(&workloads::service("front", "web", Address::Shared)).await?;
    namespace.add(&workloads::stateful_set("web", 2, server(), vec![])).await?;
    namespace.add_ready(&pods::pod("client", pods::spec(pods::shell(IDLE)))).await?;
    for pod in ["web-0", "web-1"] {
        namespace.ready(pod).await?;
    }

    let domain = format!("{}.svc.cluster.local", namespace.name());
    for pod in ["web-0", "web-1"] {
        assert_eq!(page(&namespace, &format!("http://{pod}.web.{domain}:{PORT}/")).await?, pod);
    }
    for name in ["front".to_owned(), format!("front.{}", namespace.name()), format!("front.{domain}")] {
        let body = page(&namespace, &format!("http://{name}:{PORT}/")).await?;
        assert!(["web-0", "web-1"].contains(&body.as_str()), "{name} responded with {body}");
    }
    namespace
        .until("both pods of the headless Service", async || {
            let listed = namespace.sh("client", &format!("nslookup web.{domain}.")).await?;
            let mut both = true;
            for pod in ["web-0", "web-1"] {
                let pod = namespace.pods().get(pod).await?;
                both &= listed.contains(pods::address(&pod)?);
            }
            Ok(holds(both, listed))
        })
        .await
}

#[tokio::test]
async fn external_names_do_not_resolve() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "dns-outside").await?;
    namespace.add_ready(&pods::pod("client", pods::spec(pods::shell(IDLE)))).await?;
    // The DNS server may have just started.
    namespace.sh("client", "nslookup kubernetes.default.svc.cluster.local.").await?;

    let output = pods::exec(&namespace.pods(), "client", "nslookup example.org.").await?;
    assert!(!output.success, "{output:?}");
    assert!(format!("{}{}", output.stdout, output.stderr).contains("NXDOMAIN"), "{output:?}");
    Ok(())
}

#[tokio::test]
async fn external_addresses_are_unreachable() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "unreachable").await?;
    namespace.add_ready(&pods::pod("client", pods::spec(pods::shell(IDLE)))).await?;

    // An address that is reserved for documentation. A lab must not even try to reach it.
    let output = pods::exec(&namespace.pods(), "client", "wget -O - http://198.51.100.1/").await?;
    assert!(!output.success, "{output:?}");
    let expected = ["unreachable", "No route to host", "prohibited"];
    assert!(expected.iter().any(|text| output.stderr.contains(text)), "{output:?}");
    Ok(())
}
