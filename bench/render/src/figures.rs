//! Taking and comparing figures.

use rustix::time::{ClockId, clock_gettime};

/// What one side cost, a value a round.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    /// Time of the processor in microseconds.
    pub(crate) time: Vec<f64>,
    /// Allocated bytes.
    pub(crate) allocated: Vec<f64>,
}

impl Figures {
    /// What one of so many cost.
    pub(crate) fn divide(&mut self, count: usize) {
        for value in self.time.iter_mut().chain(&mut self.allocated) {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let count = count as f64;
            *value /= count;
        }
    }
}

/// What our side cost and gave.
#[derive(Debug, Clone)]
pub(crate) struct Ours {
    /// All from nothing.
    pub(crate) all: Figures,
    /// One of them changed and the others are cached; without copying the bytes out.
    pub(crate) one: Figures,
    /// What came out.
    pub(crate) text: String,
}

/// Does something and adds what it cost.
pub(crate) fn measured<T>(figures: &mut Figures, work: impl FnOnce() -> T) -> T {
    let mut result = None;
    let mut time = 0.0;
    let allocations = allocation_counter::measure(|| {
        let before = processor_time();
        result = Some(work());
        time = processor_time() - before;
    });
    figures.time.push(time);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    figures.allocated.push(allocations.bytes_total as f64);
    result.expect("the work was done")
}

/// Microseconds that this process has computed.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let (seconds, nanoseconds) = (time.tv_sec as f64, time.tv_nsec as f64);
    seconds * 1e6 + nanoseconds / 1e3
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The least and the greatest value.
pub(crate) fn spread(values: &[f64]) -> (f64, f64) {
    let fold = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).unwrap_or_default();
    (fold(f64::min), fold(f64::max))
}
