//! Names inside the cluster, and nothing outside it.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::wait::{Look, holds};
use e2e::workloads::{self, Address, PORT};

/// Serves its own host name.
fn server() -> k8s_openapi::api::core::v1::PodSpec {
    let script =
        format!("mkdir /tmp/www; hostname >/tmp/www/index.html; httpd -p {PORT} -h /tmp/www; {IDLE}");
    let mut container = pods::shell(&script);
    container.readiness_probe = Some(pods::probe(&format!("wget -q -O /dev/null http://127.0.0.1:{PORT}/")));
    pods::spec(container)
}

/// What a page says, once the name is known and its servers are reachable.
async fn page(namespace: &Namespace, url: &str) -> Result<String> {
    namespace
        .until(&format!("an answer from {url}"), async || {
            let said = pods::exec(&namespace.pods(), "client", &format!("wget -q -O - {url}")).await?;
            Ok(if said.success {
                Look::Found(said.stdout.trim().to_owned())
            } else {
                Look::NotYet(said.stderr)
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
        let answer = page(&namespace, &format!("http://{name}:{PORT}/")).await?;
        assert!(["web-0", "web-1"].contains(&answer.as_str()), "{name} answered {answer}");
    }
    namespace
        .until("both pods behind the headless name", async || {
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
async fn outside_names_are_unknown() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "dns-outside").await?;
    namespace.add_ready(&pods::pod("client", pods::spec(pods::shell(IDLE)))).await?;
    // The first question may meet a DNS server that just started.
    namespace.sh("client", "nslookup kubernetes.default.svc.cluster.local.").await?;

    let said = pods::exec(&namespace.pods(), "client", "nslookup example.org.").await?;
    assert!(!said.success, "{said:?}");
    assert!(format!("{}{}", said.stdout, said.stderr).contains("NXDOMAIN"), "{said:?}");
    Ok(())
}

#[tokio::test]
async fn there_is_no_way_out_of_the_machine() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "no-way-out").await?;
    namespace.add_ready(&pods::pod("client", pods::spec(pods::shell(IDLE)))).await?;

    // An address that is reserved for documentation: there is no server, and a lab must not even try.
    let said = pods::exec(&namespace.pods(), "client", "wget -O - http://198.51.100.1/").await?;
    assert!(!said.success, "{said:?}");
    let refused = ["unreachable", "No route to host", "prohibited"];
    assert!(refused.iter().any(|word| said.stderr.contains(word)), "{said:?}");
    Ok(())
}
