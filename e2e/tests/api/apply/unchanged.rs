//! Nothing is asked of the server when nothing would change.

use anyhow::Result;
use kernel::apply::{Desired, Way};
use serde_json::json;

use super::objects;
use super::stage::{STATEFUL_SET, Stage};

/// One object of each kind in each way. The server does not see a difference.
fn everything(stage: &Stage) -> Vec<Desired> {
    let mut all = Vec::new();
    for (way, suffix) in [(Way::Apply, "a"), (Way::Replace, "r")] {
        for (kind, mut object) in objects::all() {
            let name = format!("{}-{suffix}", object["metadata"]["name"].as_str().unwrap_or_default());
            object["metadata"]["name"] = name.into();
            all.push(stage.wanted(kind, &object, way));
        }
    }
    all
}

#[tokio::test]
async fn what_is_there_as_wanted_is_not_asked_for() -> Result<()> {
    let stage = Stage::set().await?;
    let all = everything(&stage);
    assert_eq!(stage.carry_out(&all).await?.written.len(), all.len());
    assert_eq!(stage.asked().len(), all.len(), "one request an object");
    assert_eq!(stage.carry_out(&all).await?.written, Vec::<String>::new());
    assert_eq!(stage.asked(), Vec::<String>::new());

    let stage = stage.restart().await?;
    let applied = stage.carry_out(&all).await?;
    assert_eq!(applied.written, Vec::<String>::new());
    assert_eq!(applied.objects.len(), all.len(), "all is known");
    assert_eq!(stage.asked(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn one_change_is_one_request() -> Result<()> {
    let stage = Stage::set().await?;
    for (way, method) in [(Way::Apply, "PATCH"), (Way::Replace, "PUT")] {
        let mut object = objects::stateful_set();
        object["metadata"]["name"] = method.to_lowercase().into();
        stage.carry_out(&[stage.wanted(STATEFUL_SET, &object, way)]).await?;
        stage.asked();
        object["spec"]["template"]["spec"]["containers"][0]["image"] = json!("registry.example:5000/toy:1.1");
        let wanted = [stage.wanted(STATEFUL_SET, &object, way)];
        stage.carry_out(&wanted).await?;
        stage.carry_out(&wanted).await?;
        assert_eq!(stage.asked(), [format!("{method} statefulsets/{}", method.to_lowercase())]);
    }
    Ok(())
}
