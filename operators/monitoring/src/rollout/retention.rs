//! Surplus shards, after the number of shards was reduced. The user can keep them for some time, so that their data can still
//! be queried: an annotation has the deadline, as with the Prometheus Operator. A shard that is kept is not changed otherwise,
//! and neither are its pods. If it is needed again, its next write removes the annotation.

use api_monitoring::Prometheus;
use go_syntax::duration::prometheus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::OfPrometheus;
use crate::kind::Workload as _;

/// The annotation with the time until which a shard is kept.
pub const DEADLINE: &str = "operator.prometheus.io/deletion-deadline";

/// The time that means never.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// How long samples are kept if the user sets no limit.
const DEFAULT_RETENTION: &str = "24h";

/// A shard that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptShard {
    /// The name of its StatefulSet.
    pub name: String,
    /// The value of its annotation, if it has none yet.
    pub deadline: Option<String>,
}

/// The surplus shards that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surplus {
    /// These shards.
    pub kept: Vec<KeptShard>,
    /// Messages for the user.
    pub remarks: Vec<String>,
    /// When the next one is deleted.
    pub requeue_at: Option<Timestamp>,
}

/// Which surplus StatefulSets of a Prometheus are kept; `offered` is whether the feature is enabled.
pub fn surplus<'s>(
    prometheus: &Prometheus,
    sets: impl IntoIterator<Item = &'s StatefulSet>,
    offered: bool,
    now: Timestamp,
) -> Surplus {
    let mut surplus = Surplus::default();
    let wanted = names(prometheus);
    for set in sets {
        let name = set.metadata.name.as_deref().unwrap_or_default();
        if set.metadata.deletion_timestamp.is_some() || wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        if offered && keeps(prometheus) {
            surplus.keep(set, prometheus, now);
        }
    }
    surplus
}

impl Surplus {
    fn keep(&mut self, set: &StatefulSet, prometheus: &Prometheus, now: Timestamp) {
        let name = set.metadata.name.clone().unwrap_or_default();
        let recorded = set.metadata.annotations.as_ref().and_then(|annotations| annotations.get(DEADLINE));
        let (text, is_new) = match recorded {
            Some(recorded) => (recorded.clone(), false),
            None => match deadline(prometheus, now) {
                Ok(text) => (text, true),
                Err(message) => {
                    self.remarks.push(format!("StatefulSet {name} is kept: {message}"));
                    self.kept.push(KeptShard { name, deadline: None });
                    return;
                }
            },
        };
        match text.parse::<Timestamp>() {
            Ok(time) if NEVER.parse().is_ok_and(|never: Timestamp| never == time) => {}
            Ok(time) if now > time => return,
            Ok(time) => {
                // A deadline has passed only after its second, because it is written in whole seconds.
                let after = time.checked_add(SignedDuration::from_secs(1)).unwrap_or(time);
                self.requeue_at = self.requeue_at.into_iter().chain([after]).min();
            }
            Err(_) => self.remarks.push(format!(
                "StatefulSet {name} is kept: {text:?} in its annotation {DEADLINE} is not a time; remove the annotation"
            )),
        }
        self.kept.push(KeptShard { name, deadline: is_new.then_some(text) });
    }
}

/// The names of the planned StatefulSets.
fn names(prometheus: &Prometheus) -> Vec<String> {
    let name = prometheus.metadata.name.as_deref().unwrap_or_default();
    let shards = prometheus.spec.shared.shards.unwrap_or(1).max(1);
    (0..shards).map(|shard| OfPrometheus::NAMING.shard(name, shard)).collect()
}

/// Whether the user keeps surplus shards.
fn keeps(prometheus: &Prometheus) -> bool {
    let policy = prometheus.spec.shard_retention_policy.as_ref();
    policy.and_then(|policy| policy.when_scaled.as_deref()) == Some("Retain")
}

/// The deadline of a shard that is surplus from now on: the end of the retention of its data.
fn deadline(prometheus: &Prometheus, now: Timestamp) -> Result<String, String> {
    let spec = &prometheus.spec;
    let retain = spec.shard_retention_policy.as_ref().and_then(|policy| policy.retain.as_ref());
    let (field, period) = match retain {
        Some(retain) => ("shardRetentionPolicy.retain.retentionPeriod", &*retain.retention_period),
        None if spec.retention.is_empty() && spec.retention_size.is_empty() => {
            ("retention", DEFAULT_RETENTION)
        }
        // Only the size of the data is limited, not its age.
        None if spec.retention.is_empty() => return Ok(NEVER.into()),
        None => ("retention", &*spec.retention),
    };
    let nanoseconds =
        prometheus::parse(period).map_err(|error| format!("{field} cannot be read: {error}; correct it"))?;
    if nanoseconds == 0 {
        return Ok(NEVER.into());
    }
    let time = now.checked_add(SignedDuration::from_nanos(nanoseconds)).ok();
    let whole = time.and_then(|time| Timestamp::from_second(time.as_second()).ok());
    // A time that cannot be represented means never.
    Ok(whole.map_or_else(|| NEVER.into(), |time| time.to_string()))
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::PrometheusSpec;
    use api_monitoring::prometheus::sharding::{RetainConfig, ShardRetentionPolicy};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;

    fn now() -> Timestamp {
        "2026-01-02T03:04:05.678Z".parse().expect("a time")
    }

    fn prometheus(shards: i32, when_scaled: Option<&str>, retain: Option<&str>) -> Prometheus {
        let mut prometheus = Prometheus::new("p", PrometheusSpec::default());
        prometheus.spec.shared.shards = Some(shards);
        prometheus.spec.shard_retention_policy = when_scaled.map(|when| ShardRetentionPolicy {
            when_scaled: Some(when.into()),
            retain: retain.map(|period| RetainConfig { retention_period: period.into() }),
        });
        prometheus
    }

    fn shard(number: i32, deadline: Option<&str>) -> StatefulSet {
        let mut set = StatefulSet::default();
        let name = if number == 0 { "prometheus-p".into() } else { format!("prometheus-p-shard-{number}") };
        set.metadata.name = Some(name);
        set.metadata.annotations = deadline.map(|text| [(DEADLINE.to_owned(), text.to_owned())].into());
        set
    }

    fn kept(number: i32, deadline: Option<&str>) -> KeptShard {
        let name = shard(number, None).metadata.name.unwrap_or_default();
        KeptShard { name, deadline: deadline.map(ToOwned::to_owned) }
    }

    #[test]
    fn surplus_shards_are_deleted_unless_the_user_keeps_them() {
        let mut leaving = shard(3, None);
        leaving.metadata.deletion_timestamp = Some(Time(now()));
        let sets = [shard(0, None), shard(1, None), shard(2, Some(NEVER)), leaving];
        let none = Surplus::default();
        assert_eq!(
            surplus(&prometheus(3, Some("Retain"), None), &sets, true, now()),
            none,
            "they are planned"
        );
        assert_eq!(surplus(&prometheus(1, None, None), &sets, true, now()), none);
        assert_eq!(surplus(&prometheus(0, Some("Delete"), None), &sets, true, now()), none);
        assert_eq!(surplus(&prometheus(1, Some("Retain"), None), &sets, false, now()), none);
        let stay = Surplus {
            kept: vec![kept(1, Some("2026-01-03T03:04:05Z")), kept(2, None)],
            requeue_at: Some("2026-01-03T03:04:06Z".parse().expect("a time")),
            ..Surplus::default()
        };
        assert_eq!(surplus(&prometheus(1, Some("Retain"), None), &sets, true, now()), stay);
    }

    #[test]
    fn a_surplus_shard_is_kept_for_the_retention_of_its_data() {
        let deadline_of = |prometheus: &Prometheus| {
            let surplus = surplus(prometheus, &[shard(1, None)], true, now());
            assert_eq!(surplus.remarks, Vec::<String>::new());
            surplus.kept.into_iter().next().and_then(|kept| kept.deadline)
        };
        let retain = |period| prometheus(1, Some("Retain"), period);
        assert_eq!(deadline_of(&retain(Some("90s"))).as_deref(), Some("2026-01-02T03:05:35Z"));
        assert_eq!(deadline_of(&retain(Some("0s"))).as_deref(), Some(NEVER));
        let mut by_size = retain(None);
        by_size.spec.retention_size = "1GB".into();
        assert_eq!(deadline_of(&by_size).as_deref(), Some(NEVER));
        by_size.spec.retention = "2h".into();
        assert_eq!(deadline_of(&by_size).as_deref(), Some("2026-01-02T05:04:05Z"));
        let eternal = retain(Some("292y"));
        assert_eq!(deadline_of(&eternal).as_deref(), Some("2317-10-24T03:04:05Z"));
    }

    #[test]
    fn a_shard_is_deleted_after_its_deadline() {
        let decide = |deadline: &str| {
            surplus(&prometheus(1, Some("Retain"), None), &[shard(1, Some(deadline))], true, now())
        };
        let none = Surplus::default();
        assert_eq!(decide("2026-01-02T03:04:05Z"), none);
        assert_eq!(decide("2026-01-02T04:04:05+01:00"), none);
        let mut later = Surplus { kept: vec![kept(1, None)], ..Surplus::default() };
        assert_eq!(decide("0001-01-01T00:00:00Z"), later);
        later.requeue_at = Some("2026-01-02T03:04:07Z".parse().expect("a time"));
        assert_eq!(decide("2026-01-02T03:04:06Z"), later);
        later.requeue_at = Some("2026-01-02T03:04:06.678Z".parse().expect("a time"));
        assert_eq!(decide("2026-01-02T03:04:05.678Z"), later, "exactly now");
    }

    #[test]
    fn an_unreadable_deadline_keeps_a_shard() {
        let sets = [shard(1, Some("soon"))];
        let found = surplus(&prometheus(1, Some("Retain"), None), &sets, true, now());
        let message = "StatefulSet prometheus-p-shard-1 is kept: \"soon\" in its annotation \
                     operator.prometheus.io/deletion-deadline is not a time; remove the annotation";
        let expected =
            Surplus { kept: vec![kept(1, None)], remarks: vec![message.into()], ..Surplus::default() };
        assert_eq!(found, expected);
        let found = surplus(&prometheus(1, Some("Retain"), Some("")), &[shard(1, None)], true, now());
        let message = "StatefulSet prometheus-p-shard-1 is kept: shardRetentionPolicy.retain.retentionPeriod cannot be \
                     read: empty duration string; correct it";
        let expected =
            Surplus { kept: vec![kept(1, None)], remarks: vec![message.into()], ..Surplus::default() };
        assert_eq!(found, expected);
    }
}
