//! Shards that are too many after the number of shards went down. The user may want them kept for a while, so that their
//! data can still be queried: then an annotation says until when, as with the Prometheus Operator. A shard that is kept is
//! otherwise left as it is, with its pods; one that is wanted again loses the annotation with its next write.

use api_monitoring::Prometheus;
use go_syntax::duration::prometheus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// The annotation with the time until which a shard is kept.
pub const DEADLINE: &str = "operator.prometheus.io/deletion-deadline";

/// The time that stands for never.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// How long samples are kept if the user says nothing.
const DEFAULT_RETENTION: &str = "24h";

/// A shard that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name of its StatefulSet.
    pub name: String,
    /// What its annotation shall say, if it has none yet.
    pub deadline: Option<String>,
}

/// What becomes of the shards that are too many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surplus {
    /// Those that stay for now.
    pub kept: Vec<Kept>,
    /// What the user should know, in words.
    pub remarks: Vec<String>,
    /// When the next one goes.
    pub requeue_at: Option<Timestamp>,
}

/// Decides about the StatefulSets of a Prometheus that are there; `offered` says whether shards can be kept at all.
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
                Err(words) => {
                    self.remarks.push(format!("StatefulSet {name} is kept: {words}"));
                    self.kept.push(Kept { name, deadline: None });
                    return;
                }
            },
        };
        match text.parse::<Timestamp>() {
            Ok(time) if NEVER.parse().is_ok_and(|never: Timestamp| never == time) => {}
            Ok(time) if now > time => return,
            Ok(time) => {
                // A deadline is over when it has passed, and it is written in whole seconds.
                let after = time.checked_add(SignedDuration::from_secs(1)).unwrap_or(time);
                self.requeue_at = self.requeue_at.into_iter().chain([after]).min();
            }
            Err(_) => self.remarks.push(format!(
                "StatefulSet {name} is kept: {text:?} in its annotation {DEADLINE} is no time; remove the annotation"
            )),
        }
        self.kept.push(Kept { name, deadline: is_new.then_some(text) });
    }
}

/// The names of the StatefulSets that are wanted.
fn names(prometheus: &Prometheus) -> Vec<String> {
    let name = prometheus.metadata.name.as_deref().unwrap_or_default();
    let shards = prometheus.spec.shared.shards.unwrap_or(1).max(1);
    let rest = (1..shards).map(|shard| format!("prometheus-{name}-shard-{shard}"));
    std::iter::once(format!("prometheus-{name}")).chain(rest).collect()
}

/// Whether the user wants shards kept.
fn keeps(prometheus: &Prometheus) -> bool {
    let policy = prometheus.spec.shard_retention_policy.as_ref();
    policy.and_then(|policy| policy.when_scaled.as_deref()) == Some("Retain")
}

/// Until when a shard is kept that is too many from now on: as long as its data would have been.
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
    // Beyond the end of time nothing is ever deleted.
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

    fn kept(number: i32, deadline: Option<&str>) -> Kept {
        let name = shard(number, None).metadata.name.unwrap_or_default();
        Kept { name, deadline: deadline.map(ToOwned::to_owned) }
    }

    #[test]
    fn shards_that_are_too_many_go_unless_the_user_wants_them_kept() {
        let mut leaving = shard(3, None);
        leaving.metadata.deletion_timestamp = Some(Time(now()));
        let sets = [shard(0, None), shard(1, None), shard(2, Some(NEVER)), leaving];
        let gone = Surplus::default();
        assert_eq!(
            surplus(&prometheus(3, Some("Retain"), None), &sets, true, now()),
            gone,
            "they are wanted"
        );
        assert_eq!(surplus(&prometheus(1, None, None), &sets, true, now()), gone);
        assert_eq!(surplus(&prometheus(0, Some("Delete"), None), &sets, true, now()), gone);
        assert_eq!(surplus(&prometheus(1, Some("Retain"), None), &sets, false, now()), gone);
        let stay = Surplus {
            kept: vec![kept(1, Some("2026-01-03T03:04:05Z")), kept(2, None)],
            requeue_at: Some("2026-01-03T03:04:06Z".parse().expect("a time")),
            ..Surplus::default()
        };
        assert_eq!(surplus(&prometheus(1, Some("Retain"), None), &sets, true, now()), stay);
    }

    #[test]
    fn a_shard_is_kept_as_long_as_its_data_would_have_been() {
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
    fn a_shard_goes_when_its_deadline_has_passed() {
        let decide = |deadline: &str| {
            surplus(&prometheus(1, Some("Retain"), None), &[shard(1, Some(deadline))], true, now())
        };
        let gone = Surplus::default();
        assert_eq!(decide("2026-01-02T03:04:05Z"), gone);
        assert_eq!(decide("2026-01-02T04:04:05+01:00"), gone);
        let mut later = Surplus { kept: vec![kept(1, None)], ..Surplus::default() };
        assert_eq!(decide("0001-01-01T00:00:00Z"), later);
        later.requeue_at = Some("2026-01-02T03:04:07Z".parse().expect("a time"));
        assert_eq!(decide("2026-01-02T03:04:06Z"), later);
        later.requeue_at = Some("2026-01-02T03:04:06.678Z".parse().expect("a time"));
        assert_eq!(decide("2026-01-02T03:04:05.678Z"), later, "this very moment");
    }

    #[test]
    fn what_cannot_be_read_keeps_a_shard() {
        let sets = [shard(1, Some("soon"))];
        let told = surplus(&prometheus(1, Some("Retain"), None), &sets, true, now());
        let words = "StatefulSet prometheus-p-shard-1 is kept: \"soon\" in its annotation \
                     operator.prometheus.io/deletion-deadline is no time; remove the annotation";
        let expected =
            Surplus { kept: vec![kept(1, None)], remarks: vec![words.into()], ..Surplus::default() };
        assert_eq!(told, expected);
        let told = surplus(&prometheus(1, Some("Retain"), Some("")), &[shard(1, None)], true, now());
        let words = "StatefulSet prometheus-p-shard-1 is kept: shardRetentionPolicy.retain.retentionPeriod cannot be \
                     read: empty duration string; correct it";
        let expected =
            Surplus { kept: vec![kept(1, None)], remarks: vec![words.into()], ..Surplus::default() };
        assert_eq!(told, expected);
    }
}
