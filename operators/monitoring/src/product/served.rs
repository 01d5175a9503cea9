//! Which workloads of monitoring are served: those that we may list. The Prometheus Operator asks the same when it starts, and
//! leaves the others alone.

use std::time::Duration;

use kernel::access::is_allowed;
use kernel::clock;
use kernel::declare::Kind;
use kernel::stores::{Namespaces, Scopes};
use kube::Client;

use super::scopes::{WORKLOADS, scopes};
use crate::flags::scope::Scope;
use crate::kinds;

/// How often it is looked whether more may be served.
const AGAIN: Duration = Duration::from_mins(1);

/// Which workloads are served, and what is looked at for them.
#[derive(Debug, Clone)]
pub(super) struct Served {
    scope: Scope,
    kinds: Vec<Kind>,
    /// Where they look for what.
    pub(super) scopes: Scopes,
}

impl Served {
    /// All of them.
    pub(super) fn all(scope: &Scope) -> Self {
        Self { scope: scope.clone(), kinds: WORKLOADS.into(), scopes: scopes(scope, &WORKLOADS) }
    }

    /// Asks what may be listed, where that makes a difference.
    pub(super) async fn find(client: &Client, scope: &Scope) -> Self {
        let all = Self::all(scope);
        if !depends(scope) {
            return all;
        }
        let kinds = listable(client, &all.scopes).await;
        // Who may look at nothing yet waits for his rights, and the watches say so.
        for kind in WORKLOADS.iter().filter(|kind| !kinds.is_empty() && !kinds.contains(kind)) {
            tracing::warn!(
                "{} may not be listed where the flags say that they are, and are not served: grant list and watch of \
                 them, or run with flags that name other namespaces",
                kind.plural
            );
        }
        Self { scopes: scopes(scope, &kinds), kinds, ..all }
    }

    /// Waits until rights have come for which more must be looked at.
    pub(super) async fn outgrown(&self, client: &Client) {
        if self.kinds.len() == WORKLOADS.len() {
            return std::future::pending().await;
        }
        let all = scopes(&self.scope, &WORKLOADS);
        loop {
            clock::until(Some(clock::now() + AGAIN)).await;
            let mut kinds = listable(client, &all).await;
            // Rights that went away may come back.
            kinds.extend(&self.kinds);
            if scopes(&self.scope, &kinds) != self.scopes {
                return;
            }
        }
    }
}

/// Whether it matters who is served: it does not if all look into the same namespaces for what they share.
fn depends(scope: &Scope) -> bool {
    let shared = [kinds::SECRET, kinds::STATEFUL_SET];
    let places = |served: &[Kind]| {
        let scopes = scopes(scope, served);
        shared.map(|kind| scopes.of(kind).clone())
    };
    WORKLOADS.iter().any(|kind| places(&[*kind]) != places(&WORKLOADS))
}

/// The kinds that may be listed wherever they are looked for.
async fn listable(client: &Client, scopes: &Scopes) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for kind in WORKLOADS {
        let namespaces = match scopes.of(kind) {
            Namespaces::AllBut(_) => vec![None],
            Namespaces::Only(names) => names.iter().map(|name| Some(name.as_str())).collect(),
        };
        let mut is_listable = true;
        for namespace in namespaces {
            // No answer is not a no: the watch will tell.
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
    use kube::client::Body;
    use serde_json::{Value, json};
    use tower::BoxError;

    use super::*;
    use crate::flags::Flags;

    fn scope(flags: &[&str]) -> Scope {
        Flags::default().take(flags, &[]).unwrap().0.scope
    }

    /// A server on which these may be listed, as `plural namespace`; everything, once all is granted.
    fn server(allowed: &'static [&'static str], all: Arc<AtomicBool>) -> Client {
        let service = tower::service_fn(move |request: Request<Body>| {
            let all = Arc::clone(&all);
            async move {
                let body = request.into_body().collect_bytes().await?;
                let mut review: Value = serde_json::from_slice(&body)?;
                let about = &review["spec"]["resourceAttributes"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let asked = format!("{} {}", text(&about["resource"]), text(&about["namespace"]));
                let may = all.load(Ordering::Relaxed) || allowed.contains(&asked.trim());
                review["status"] = json!({"allowed": may});
                let answer =
                    Response::builder().status(201).body(Body::from(review.to_string().into_bytes()));
                answer.map_err(BoxError::from)
            }
        });
        Client::new(service, "default")
    }

    const ONE_SIDED: [&str; 1] = ["--prometheus-instance-namespaces=monitoring"];

    #[tokio::test]
    async fn workloads_that_may_not_be_listed_are_not_served_and_stop_nobody() {
        let client = server(&["prometheuses monitoring"], Arc::default());
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        assert_eq!(served.kinds, [kinds::PROMETHEUS]);
        let monitoring = Namespaces::Only(vec!["monitoring".into()]);
        assert_eq!(served.scopes.of(kinds::SECRET), &monitoring);
        assert_eq!(served.scopes.of(kinds::STATEFUL_SET), &monitoring);
    }

    #[tokio::test]
    async fn where_all_look_into_the_same_namespaces_nobody_is_asked() {
        let client = server(&[], Arc::default());
        for flags in [&[][..], &["--namespaces=a,b"], &["--deny-namespaces=a"]] {
            let served = Served::find(&client, &scope(flags)).await;
            assert_eq!(served.kinds, WORKLOADS, "{flags:?}");
        }
        assert!(depends(&scope(&ONE_SIDED)));
    }

    #[tokio::test(start_paused = true)]
    async fn rights_that_come_later_are_noticed_and_those_that_go_are_not() {
        let all = Arc::new(AtomicBool::new(false));
        let client = server(&["prometheuses monitoring"], Arc::clone(&all));
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        let mut waiting = std::pin::pin!(served.outgrown(&client));
        assert!(tokio::time::timeout(AGAIN * 3, &mut waiting).await.is_err());
        all.store(true, Ordering::Relaxed);
        waiting.await;
        // With all rights at the start there is nothing to wait for.
        let served = Served::find(&client, &scope(&ONE_SIDED)).await;
        all.store(false, Ordering::Relaxed);
        assert!(served.outgrown(&client).now_or_never().is_none());
    }
}
