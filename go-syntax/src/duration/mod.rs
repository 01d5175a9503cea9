//! Durations, as nanoseconds in 64 bits with a sign: about 292 years on either side of zero.
//!
//! | file | owns |
//! |---|---|
//! | [`prometheus`] | `1d12h`, whole numbers with days and more: what Prometheus and Alertmanager have in their files |
//! | [`go`] | `1.5h`, fractions and no days: what the standard library of Go has |

pub mod go;
pub mod prometheus;

/// The size of what lies on either side of zero.
const LIMIT: u64 = 1 << 63;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// The beginning of a text as far as its bytes are of a kind, and the rest.
fn split(text: &str, is: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !is(byte)).unwrap_or(text.len()))
}
