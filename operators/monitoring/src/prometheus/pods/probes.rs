//! How a server or agent is asked whether it is well.

use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::instance::Instance;
use crate::workload::{path, probes};

/// How long an answer may take.
const TIMEOUT: i32 = 3;

/// The probes of the main container.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Probes {
    pub(super) startup: Probe,
    pub(super) readiness: Probe,
    pub(super) liveness: Probe,
}

/// The probes. It is ready only after it has read its write-ahead log, which may take long: until then, only the first one
/// counts.
pub(super) fn build(instance: &Instance<'_>) -> Probes {
    let ready = handler(instance, "/-/ready");
    let (period, failures) = startup(instance.spec.maximum_startup_duration_seconds);
    Probes {
        startup: timed(ready.clone(), period, failures),
        readiness: timed(ready, 5, 3),
        liveness: timed(handler(instance, "/-/healthy"), 5, 6),
    }
}

fn timed(probe: Probe, period: i32, failures: i32) -> Probe {
    Probe {
        timeout_seconds: Some(TIMEOUT),
        period_seconds: Some(period),
        failure_threshold: Some(failures),
        ..probe
    }
}

fn handler(instance: &Instance<'_>, path: &str) -> Probe {
    let path = path::clean(&format!("{}{path}", instance.route_prefix()));
    if instance.spec.listen_local {
        return probes::inside(&path::url("http", "localhost:9090", &path));
    }
    let mut probe = probes::http(path, IntOrString::String(instance.port_name().to_owned()));
    if let Some(request) = probe.http_get.as_mut().filter(|_| instance.has_tls()) {
        request.scheme = Some("HTTPS".into());
    }
    probe
}

/// How often and how many times it is asked while it starts: a quarter of an hour long, or as long as the user wants.
fn startup(maximum: Option<i32>) -> (i32, i32) {
    let Some(maximum) = maximum.filter(|maximum| *maximum >= 60) else { return (15, 60) };
    let rounded_up = |number: i32, by: i32| number / by + i32::from(number % by != 0);
    let failures = rounded_up(maximum, 60);
    (rounded_up(maximum, failures), failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_takes_as_long_as_the_user_wants() {
        for (maximum, expected) in [
            (None, (15, 60)),
            (Some(59), (15, 60)),
            (Some(60), (60, 1)),
            (Some(61), (31, 2)),
            (Some(600), (60, 10)),
            (Some(601), (55, 11)),
        ] {
            assert_eq!(startup(maximum), expected, "{maximum:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_start_is_never_cut_short(maximum in 60..i32::MAX) {
            let (period, failures) = startup(Some(maximum));
            proptest::prop_assert!(period <= 60 && i64::from(period) * i64::from(failures) >= i64::from(maximum));
        }
    }
}
