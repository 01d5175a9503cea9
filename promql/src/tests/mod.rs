//! Tests of whole queries.

mod enforcement;
mod mistakes;
mod round_trip;

use crate::{Options, parse};

/// Everything that can be enabled.
const ALL: Options = Options {
    experimental_functions: true,
    duration_expressions: true,
    extended_ranges: true,
    fill_modifiers: true,
};

/// A query that is parsed and printed.
fn printed(query: &str) -> String {
    match parse(query, ALL) {
        Ok(tree) => tree.print(),
        Err(error) => panic!("{query}: {error}"),
    }
}
