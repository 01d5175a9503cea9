//! Waits for a condition, with a limit. An error says what was expected and what was seen last. Only this module waits.

use std::fmt::Debug;
use std::time::Duration;

use ::lab::clock::{Span, Stopwatch};
use anyhow::{Result, bail};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::describe;

/// The limit of a wait: far more than needed on an idle machine.
pub const LIMIT: Duration = Duration::from_mins(4);

const LOOK_EVERY: Duration = Duration::from_millis(200);
const ONE_LOOK: Duration = Duration::from_secs(30);

/// The result of a check.
#[derive(Debug)]
pub enum Look<T> {
    /// The condition is met.
    Found(T),
    /// The condition is not met yet. The text says what was seen instead.
    NotYet(String),
}

/// `Found` if the condition is met, else what was seen instead.
pub fn holds(condition: bool, seen: impl Into<String>) -> Look<()> {
    if condition { Look::Found(()) } else { Look::NotYet(seen.into()) }
}

/// Checks until the condition is met. A check that fails counts as not met: the API may be unavailable for a moment.
pub async fn until<T>(what: &str, look: impl AsyncFnMut() -> Result<Look<T>>) -> Result<T> {
    within(LIMIT, what, look).await
}

#[expect(clippy::disallowed_methods, reason = "this is where the crate waits")]
async fn within<T>(limit: Duration, what: &str, mut look: impl AsyncFnMut() -> Result<Look<T>>) -> Result<T> {
    let watch = Stopwatch::start();
    loop {
        let seen = match tokio::time::timeout(ONE_LOOK, look()).await {
            Ok(Ok(Look::Found(found))) => return Ok(found),
            Ok(Ok(Look::NotYet(seen))) => seen,
            Ok(Err(error)) => format!("{error:#}"),
            Err(_) => format!("no response after {ONE_LOOK:?}"),
        };
        if watch.elapsed() >= limit {
            bail!("waited {} for {what}; last seen: {seen}", Span(watch.elapsed()));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits until an object meets a condition, and returns it.
pub async fn object<K>(api: &Api<K>, name: &str, what: &str, wanted: impl Fn(&K) -> bool) -> Result<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug,
{
    let title = format!("{} {name}: {what}", K::kind(&()));
    let outcome = until(&title, async || {
        Ok(match api.get_opt(name).await? {
            Some(object) if wanted(&object) => Look::Found(object),
            Some(object) => Look::NotYet(describe::status(&object)),
            None => Look::NotYet("the object does not exist".into()),
        })
    })
    .await;
    explain(api, outcome).await
}

/// Waits until a CRD is established.
pub async fn established(api: &Api<CustomResourceDefinition>, name: &str) -> Result<()> {
    let is_established = |definition: &CustomResourceDefinition| {
        let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(|one| one.type_ == "Established" && one.status == "True"))
    };
    object(api, name, "to be established", is_established).await.map(drop)
}

/// Waits until the object with this UID does not exist.
pub async fn gone<K>(api: &Api<K>, old: &K) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug,
{
    let name = old.name_any();
    let outcome = until(&format!("{} {name} to be deleted", K::kind(&())), async || {
        Ok(match api.get_opt(&name).await? {
            Some(object) if object.uid() == old.uid() => Look::NotYet(describe::status(&object)),
            _ => Look::Found(()),
        })
    })
    .await;
    explain(api, outcome).await
}

/// Adds the pods and events of the namespace to the error of a wait.
async fn explain<K: Resource + Clone, T>(api: &Api<K>, outcome: Result<T>) -> Result<T> {
    match (outcome, api.namespace()) {
        (Err(error), Some(namespace)) => {
            let around = describe::namespace(&api.clone().into_client(), namespace).await;
            bail!("{error:#}\n{around}")
        }
        (outcome, _) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_returns_what_was_found() {
        let mut looks = 0;
        let found = until("the third check", async || {
            looks += 1;
            Ok(if looks == 3 { Look::Found(looks) } else { Look::NotYet(format!("look {looks}")) })
        })
        .await;
        assert_eq!(found.unwrap(), 3);
    }

    #[tokio::test]
    async fn the_error_of_a_wait_says_what_was_expected_and_what_was_seen() {
        let waited = within::<()>(Duration::ZERO, "rain", async || Ok(Look::NotYet("sun".into()))).await;
        assert_eq!(waited.unwrap_err().to_string(), "waited 0.0 s for rain; last seen: sun");
        let waited = within::<()>(Duration::ZERO, "rain", async || bail!("no window")).await;
        assert_eq!(waited.unwrap_err().to_string(), "waited 0.0 s for rain; last seen: no window");
    }
}
