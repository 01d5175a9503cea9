//! Statistics of measured values. Pure.

/// The minimum, the median and the maximum of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// The minimum.
    pub(crate) min: f64,
    /// The median.
    pub(crate) median: f64,
    /// The maximum.
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of values; zeros if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or_default();
        let (middle, last) = (values.len() / 2, values.len().saturating_sub(1));
        let median = if values.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle), at(last / 2)) };
        Self { min: at(0), median, max: at(last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        let spread = |min, median, max| Spread { min, median, max };
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), spread(1.0, 2.0, 3.0));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), spread(1.0, 2.5, 4.0));
        assert_eq!(Spread::of([5.0]), spread(5.0, 5.0, 5.0));
        assert_eq!(Spread::of([]), spread(0.0, 0.0, 0.0));
    }
}
