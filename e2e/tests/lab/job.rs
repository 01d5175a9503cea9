//! Jobs and cron jobs.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::wait::{self, Look};
use e2e::{describe, pods, workloads};
use k8s_openapi::api::batch::v1::{CronJob, CronJobSpec, Job, JobTemplateSpec};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{ListParams, ObjectMeta};

/// The log of the only pod with this label.
async fn log_of(namespace: &Namespace, label: &str) -> Result<String> {
    let created = namespace.api::<Pod>().list(&ListParams::default().labels(label)).await?;
    assert_eq!(created.items.len(), 1, "one pod with {label}");
    pods::logs(&namespace.pods(), &created.items[0].name_any()).await
}

#[tokio::test]
async fn a_job_runs_once() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "job").await?;
    namespace.add(&workloads::job("sum", pods::spec(pods::shell("echo $((6 * 7))")))).await?;
    wait::object(&namespace.api::<Job>(), "sum", "to complete", workloads::is_complete).await?;
    assert_eq!(log_of(&namespace, "job-name=sum").await?, "42\n");
    Ok(())
}

#[tokio::test]
async fn a_cron_job_creates_jobs() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "cronjob").await?;
    let every_minute = namespace
        .add(&CronJob {
            metadata: ObjectMeta { name: Some("tick".into()), ..ObjectMeta::default() },
            spec: CronJobSpec {
                schedule: "* * * * *".into(),
                concurrency_policy: Some("Forbid".into()),
                job_template: JobTemplateSpec {
                    spec: Some(workloads::once("tick", pods::spec(pods::shell("echo tick")))),
                    ..JobTemplateSpec::default()
                },
                ..CronJobSpec::default()
            },
            ..CronJob::default()
        })
        .await?;
    let done = namespace
        .until("the first Job of the CronJob to complete", async || {
            let jobs = namespace.api::<Job>().list(&ListParams::default()).await?;
            let seen: Vec<String> = jobs.iter().map(describe::status).collect();
            Ok(match jobs.into_iter().find(workloads::is_complete) {
                Some(job) => Look::Found(job),
                None => Look::NotYet(seen.join(", ")),
            })
        })
        .await?;
    assert_eq!(done.owner_references().first().map(|owner| owner.uid.clone()), every_minute.uid());
    assert_eq!(log_of(&namespace, &format!("job-name={}", done.name_any())).await?, "tick\n");
    Ok(())
}
