//! Which kinds of workloads the operators reconcile: those that they can list. The Prometheus Operator also checks this
//! when it starts, and ignores the other kinds.

use std::time::Duration;

use kernel::access::is_allowed;
use kernel::clock;
use kernel::declare::Kind;
use kernel::stores::Scopes;
use kube::Client;

use super::scopes::{WORKLOADS, scopes};
use crate::flags::scope::ScopeFlags;
use crate::kinds;

/// How often permissions are checked again.
const INTERVAL: Duration = Duration::from_mins(1);

/// Which kinds of workloads are served, and what is watched for them.
#[derive(Debug, Clone)]
pub(super) struct Served {
    scope: ScopeFlags,
    kinds: Vec<Kind>,
    /// What the operators watch.
    pub(super) scopes: Scopes,
}

impl Served {
    /// All kinds.
    pub(super) fn all(scope: &ScopeFlags) -> Self {
        Self { scope: scope.clone(), kinds: WORKLOADS.into(), scopes: scopes(scope, &WORKLOADS) }
    }

    /// Asks the API server which kinds can be listed, if that makes a difference.
    pub(super) async fn find(client: &Client, scope: &ScopeFlags) -> Self {
        let all = Self::all(scope);
        if !depends(scope) {
            return all;
        }
        let kinds = listable(client, &all.scopes).await;
        // Without any permission the watches report the error until permissions are granted.
        for kind in WORKLOADS.iter().filter(|kind| !kinds.is_empty() && !kinds.contains(kind)) {
            tracing::warn!(
                "{} are ignored, because the operator cannot list them in the namespaces that its flags define: grant \
                 list and watch, or change the flags",
                kind.plural
            );
        }
        Self { scopes: scopes(scope, &kinds), kinds, ..all }
    }

    /// Waits until the operator has permissions with which it has to watch more.
    pub(super) async fn outgrown(&self, client: &Client) {
        if self.kinds.len() == WORKLOADS.len() {
            return std::future::pending().await;
        }
        let all = scopes(&self.scope, &WORKLOADS);
        loop {
            clock::until(Some(clock::now() + INTERVAL)).await;
            let mut kinds = listable(client, &all).await;
            // A kind whose permissions were revoked is still served.
            kinds.extend(&self.kinds);
            if scopes(&self.scope, &kinds) != self.scopes {
                return;
            }
        }
    }
}

/// Whether it matters which kinds are served. It does not if all share the same namespaces.
fn depends(scope: &ScopeFlags) -> bool {
    let shared = [kinds::SECRET, kinds::STATEFUL_SET];
    let namespaces = |served: &[Kind]| {
        let scopes = scopes(scope, served);
        shared.map(|kind| scopes.of(kind).clone())
    };
    WORKLOADS.iter().any(|kind| namespaces(&[*kind]) != namespaces(&WORKLOADS))
}

/// The kinds that can be listed in all their namespaces.
async fn listable(client: &Client, scopes: &Scopes) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for kind in WORKLOADS {
        let mut is_listable = true;
        for namespace in scopes.of(kind).partitions(kind.scope) {
            // An error does not mean no: the watch reports it.
            is_listable = is_listable && is_allowed(client, "list", kind, namespace).await.unwrap_or(true);
        }
        kinds.extend(is_listable.then_some(kind));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures::FutureExt;
    use http::{Request, Response};
    use kernel::stores::Namespaces;
    use kube::client::Body;
    use serde_json::{Value, json};
    use tower::BoxError;

    use super::*;
    use crate::flags::OperatorFlags;

    fn scope(flags: &[&str]) -> ScopeFlags {
        OperatorFlags::default().take(flags, &[]).unwrap().0.scope
    }

    /// A server that allows listing these, as `plural namespace`, or everything once `all` is set.
    fn server(allowed: &'static [&'static str], all: Arc<AtomicBool>) -> Client {
        let service = tower::service_fn(move |request: Request<Body>| {
            let all = Arc::clone(&all);
            async move {
                let body = request.into_body().collect_bytes().await?;
                let mut review: Value = serde_json::from_slice(&body)?;
                let attributes = &review["spec"]["resourceAttributes"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let requested =
                    format!("{} {}", text(&attributes["resource"]), text(&attributes["namespace"]));
                let is_allowed = all.load(Ordering::Relaxed) || allowed.contains(&requested.trim());
                review["status"] = json!({"allowed": is_allowed});
                let answer =
                    Response::builder().status(201).body(Body::from(review.to_string().into_bytes()));
                answer.map_err(BoxError::from)
            }
        });
        Client::new(service, "default")
    }

    const ONE_SIDED: [&str; 1] = ["--prometheus-instance-namespaces=monitoring"];

    #[tokio::test]
    async fn kinds_that_cannot_be_listed_are_ignored() {
        let client = server(&["prometheuses monitoring"], Arc::default());
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        assert_eq!(served.kinds, [kinds::PROMETHEUS]);
        let monitoring = Namespaces::Only(vec!["monitoring".into()]);
        assert_eq!(served.scopes.of(kinds::SECRET), &monitoring);
        assert_eq!(served.scopes.of(kinds::STATEFUL_SET), &monitoring);
    }

    #[tokio::test]
    async fn permissions_do_not_matter_if_all_kinds_share_their_namespaces() {
        let client = server(&[], Arc::default());
        for flags in [&[][..], &["--namespaces=a,b"], &["--deny-namespaces=a"]] {
            let served = Served::find(&client, &scope(flags)).await;
            assert_eq!(served.kinds, WORKLOADS, "{flags:?}");
        }
        assert!(depends(&scope(&ONE_SIDED)));
    }

    #[tokio::test(start_paused = true)]
    async fn granted_permissions_are_noticed_and_revoked_ones_are_not() {
        let all = Arc::new(AtomicBool::new(false));
        let client = server(&["prometheuses monitoring"], Arc::clone(&all));
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        let mut waiting = std::pin::pin!(served.outgrown(&client));
        assert!(tokio::time::timeout(INTERVAL * 3, &mut waiting).await.is_err());
        all.store(true, Ordering::Relaxed);
        waiting.await;
        // With all permissions at the start there is nothing to wait for.
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        all.store(false, Ordering::Relaxed);
        assert!(served.outgrown(&client).now_or_never().is_none());
    }
}
