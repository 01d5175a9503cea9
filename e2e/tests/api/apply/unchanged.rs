//! No request is sent if nothing would change.

use anyhow::Result;
use kernel::apply::{Desired, Way};
use serde_json::json;

use super::fixture::{Fixture, STATEFUL_SET};
use super::objects;

/// One object of each kind for each way of writing.
fn everything(fixture: &Fixture) -> Vec<Desired> {
    let mut all = Vec::new();
    for (way, suffix) in [(Way::Apply, "a"), (Way::Replace, "r")] {
        for (kind, mut object) in objects::all() {
            let name = format!("{}-{suffix}", object["metadata"]["name"].as_str().unwrap_or_default());
            object["metadata"]["name"] = name.into();
            all.push(fixture.wanted(kind, &object, way));
        }
    }
    all
}

#[tokio::test]
async fn an_object_that_is_as_wanted_causes_no_request() -> Result<()> {
    let fixture = Fixture::start().await?;
    let all = everything(&fixture);
    assert_eq!(fixture.carry_out(&all).await?.written.len(), all.len());
    assert_eq!(fixture.requests().len(), all.len(), "one request for each object");
    assert_eq!(fixture.carry_out(&all).await?.written, Vec::<String>::new());
    assert_eq!(fixture.requests(), Vec::<String>::new());

    let fixture = fixture.restart().await?;
    let applied = fixture.carry_out(&all).await?;
    assert_eq!(applied.written, Vec::<String>::new());
    assert_eq!(applied.objects.len(), all.len(), "all objects are in the cache");
    assert_eq!(fixture.requests(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn one_change_is_one_request() -> Result<()> {
    let fixture = Fixture::start().await?;
    for (way, method) in [(Way::Apply, "PATCH"), (Way::Replace, "PUT")] {
        let mut object = objects::stateful_set();
        object["metadata"]["name"] = method.to_lowercase().into();
        fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, way)]).await?;
        fixture.requests();
        object["spec"]["template"]["spec"]["containers"][0]["image"] = json!("registry.example:5000/toy:1.1");
        let wanted = [fixture.wanted(STATEFUL_SET, &object, way)];
        fixture.carry_out(&wanted).await?;
        fixture.carry_out(&wanted).await?;
        assert_eq!(fixture.requests(), [format!("{method} statefulsets/{}", method.to_lowercase())]);
    }
    Ok(())
}
