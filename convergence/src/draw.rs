//! Selects the plans of a run that does not run all: a fixed number, fairly, and the same for the same seed. Pure.
//!
//! Each scenario gets one plan of each of its classes before any gets a second one. Within a class the scenarios take turns
//! with its variants, so that every error and every drift is drawn about equally often. The plans that are drawn for one
//! scenario and class depend only on the seed and on the plans of that pair: a new write in another scenario changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use crate::class::Class;
use crate::plan::Plan;

/// The seed of a draw: any text, such as a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed(String);

impl FromStr for Seed {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Seed {
    /// Hashes a name with the seed: the same on every machine and in every run.
    fn number(&self, name: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.0, name).hash(&mut hasher);
        hasher.finish()
    }
}

/// Why a number of plans cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawError {
    /// There are more pairs of a scenario and a class.
    TooFew {
        /// The number of pairs.
        pairs: usize,
    },
    /// There are fewer plans.
    TooMany {
        /// The number of plans.
        plans: usize,
    },
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { pairs } => {
                write!(f, "at least {pairs} plans are needed to test each scenario with each of its classes")
            }
            Self::TooMany { plans } => write!(f, "there are only {plans} plans"),
        }
    }
}

/// A plan that can be drawn.
struct Candidate {
    /// Its index in the list of all plans.
    index: usize,
    variant: String,
    number: u64,
}

/// The plans of one scenario and class, and its turn among the scenarios of that class.
struct Pair<'a> {
    turn: usize,
    variants: &'a BTreeSet<String>,
    /// The plans that are not drawn yet.
    left: Vec<Candidate>,
}

impl Pair<'_> {
    /// Draws the next plan: of the first variant, starting at its turn, that this scenario has.
    fn next(&mut self, round: usize) -> Option<usize> {
        let variants = self.variants.iter().cycle().skip((self.turn + round) % self.variants.len());
        for variant in variants.take(self.variants.len()) {
            let matching =
                self.left.iter().enumerate().filter(|(_, candidate)| candidate.variant == *variant);
            let first = matching.min_by_key(|(_, candidate)| candidate.number).map(|(at, _)| at);
            if let Some(at) = first {
                return Some(self.left.swap_remove(at).index);
            }
        }
        None
    }
}

/// Draws a number of plans: their indices, in the order in which they run.
pub fn draw(seed: &Seed, plans: &[Plan], count: usize) -> Result<Vec<usize>, DrawError> {
    let mut variants: BTreeMap<Class, BTreeSet<String>> = BTreeMap::new();
    let mut scenarios: BTreeMap<Class, BTreeSet<(u64, &str)>> = BTreeMap::new();
    let mut grouped: BTreeMap<(&str, Class), Vec<Candidate>> = BTreeMap::new();
    for (index, plan) in plans.iter().enumerate() {
        let (class, variant) = (plan.class(), plan.perturbation.variant());
        let number = seed.number(plan.to_string());
        variants.entry(class).or_default().insert(variant.clone());
        let rank = seed.number((class.as_str(), plan.scenario));
        scenarios.entry(class).or_default().insert((rank, plan.scenario));
        grouped.entry((plan.scenario, class)).or_default().push(Candidate { index, variant, number });
    }
    if count < grouped.len() {
        return Err(DrawError::TooFew { pairs: grouped.len() });
    }
    if count > plans.len() {
        return Err(DrawError::TooMany { plans: plans.len() });
    }
    let mut pairs: Vec<(u64, Pair<'_>)> = Vec::new();
    for ((scenario, class), left) in grouped {
        let turn = scenarios[&class].iter().position(|(_, other)| *other == scenario).unwrap_or_default();
        let order = seed.number((scenario, class.as_str(), "order"));
        pairs.push((order, Pair { turn, variants: &variants[&class], left }));
    }
    pairs.sort_by_key(|(order, _)| *order);
    let mut drawn = Vec::with_capacity(count);
    for round in 0.. {
        for (_, pair) in &mut pairs {
            if drawn.len() == count {
                return Ok(drawn);
            }
            drawn.extend(pair.next(round));
        }
    }
    Ok(drawn)
}

/// One line for each class that should have been tested with a scenario and was not.
pub fn missing<'a>(
    due: impl IntoIterator<Item = (&'a str, Class)>,
    tested: &BTreeSet<(&str, Class)>,
) -> Vec<String> {
    let untested = due.into_iter().filter(|pair| !tested.contains(pair));
    untested.map(|(scenario, class)| format!("{scenario} was not tested with the class {class}")).collect()
}

#[cfg(test)]
mod tests;
