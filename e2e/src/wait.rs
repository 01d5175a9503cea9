//! The only place that waits. A wait names what it waits for; when the time is up, it says what it saw last.

use std::fmt::Debug;
use std::time::Duration;

use ::lab::clock::{Span, Stopwatch};
use anyhow::{Result, bail};
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::describe;

/// How long anything may take. Far more than it does on a quiet machine.
pub const LIMIT: Duration = Duration::from_mins(4);

const LOOK_EVERY: Duration = Duration::from_millis(200);
const ONE_LOOK: Duration = Duration::from_secs(30);

/// What a look showed.
#[derive(Debug)]
pub enum Look<T> {
    /// What was waited for.
    Found(T),
    /// Not yet: what is there instead.
    NotYet(String),
}

/// `Found` if the condition holds, else what was seen instead.
pub fn holds(condition: bool, seen: impl Into<String>) -> Look<()> {
    if condition { Look::Found(()) } else { Look::NotYet(seen.into()) }
}

/// Looks until it finds. A look that fails counts as "not yet": the API may be away for a moment.
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
            Err(_) => format!("no answer in {ONE_LOOK:?}"),
        };
        if watch.elapsed() >= limit {
            bail!("waited {} for {what}; last seen: {seen}", Span(watch.elapsed()));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits until an object is as wanted, and gives it back.
pub async fn object<K>(api: &Api<K>, name: &str, what: &str, wanted: impl Fn(&K) -> bool) -> Result<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug,
{
    let title = format!("{} {name}: {what}", K::kind(&()));
    let outcome = until(&title, async || {
        Ok(match api.get_opt(name).await? {
            Some(object) if wanted(&object) => Look::Found(object),
            Some(object) => Look::NotYet(describe::status(&object)),
            None => Look::NotYet("no such object".into()),
        })
    })
    .await;
    explain(api, outcome).await
}

/// Waits until the object that had this uid is no more.
pub async fn gone<K>(api: &Api<K>, old: &K) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug,
{
    let name = old.name_any();
    let outcome = until(&format!("{} {name} to be gone", K::kind(&())), async || {
        Ok(match api.get_opt(&name).await? {
            Some(object) if object.uid() == old.uid() => Look::NotYet(describe::status(&object)),
            _ => Look::Found(()),
        })
    })
    .await;
    explain(api, outcome).await
}

/// Adds to a failed wait what goes on around the object.
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
    async fn a_wait_ends_with_what_was_found() {
        let mut looks = 0;
        let found = until("the third look", async || {
            looks += 1;
            Ok(if looks == 3 { Look::Found(looks) } else { Look::NotYet(format!("look {looks}")) })
        })
        .await;
        assert_eq!(found.unwrap(), 3);
    }

    #[tokio::test]
    async fn a_wait_that_fails_says_for_what_and_what_was_seen() {
        let waited = within::<()>(Duration::ZERO, "rain", async || Ok(Look::NotYet("sun".into()))).await;
        assert_eq!(waited.unwrap_err().to_string(), "waited 0.0 s for rain; last seen: sun");
        let waited = within::<()>(Duration::ZERO, "rain", async || bail!("no window")).await;
        assert_eq!(waited.unwrap_err().to_string(), "waited 0.0 s for rain; last seen: no window");
    }
}
