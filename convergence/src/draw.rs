//! Which plans are played when not all are: a fixed number, fair, and the same for the same seed. Pure.
//!
//! Each scenario meets each of its classes once before any meets one a second time. Within a class the scenarios take
//! turns at its variants, so that every refusal and every act comes up about equally often. What is drawn for one scenario
//! and class depends on the seed and on their own plans only: a write more or less in another scenario changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use crate::class::Class;
use crate::plan::Plan;

/// What a draw depends on: any text, such as the name of a commit.
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
    /// A number for a name: the same on every machine and in every run.
    fn number(&self, name: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.0, name).hash(&mut hasher);
        hasher.finish()
    }
}

/// Why so many plans cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impossible {
    /// There are more pairs of a scenario and a class than that.
    TooFew {
        /// How many pairs.
        pairs: usize,
    },
    /// There are fewer plans than that.
    TooMany {
        /// How many plans.
        plans: usize,
    },
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { pairs } => {
                write!(f, "each scenario meets each class only if at least {pairs} plans are drawn")
            }
            Self::TooMany { plans } => write!(f, "there are only {plans} plans"),
        }
    }
}

/// A plan that can be drawn.
struct Ticket {
    /// Its place among all plans.
    at: usize,
    word: String,
    number: u64,
}

/// The plans of one scenario and class, and its turn among the scenarios of that class.
struct Pair<'a> {
    turn: usize,
    words: &'a BTreeSet<String>,
    /// What is not yet drawn.
    left: Vec<Ticket>,
}

impl Pair<'_> {
    /// Takes out the next plan: of the first variant, from its turn on, that this scenario has.
    fn next(&mut self, round: usize) -> Option<usize> {
        let words = self.words.iter().cycle().skip((self.turn + round) % self.words.len());
        for word in words.take(self.words.len()) {
            let of_word = self.left.iter().enumerate().filter(|(_, ticket)| ticket.word == *word);
            let first = of_word.min_by_key(|(_, ticket)| ticket.number).map(|(at, _)| at);
            if let Some(at) = first {
                return Some(self.left.swap_remove(at).at);
            }
        }
        None
    }
}

/// Draws so many plans: their places among all, in the order in which they are played.
pub fn draw(seed: &Seed, plans: &[Plan], count: usize) -> Result<Vec<usize>, Impossible> {
    let mut words: BTreeMap<Class, BTreeSet<String>> = BTreeMap::new();
    let mut scenarios: BTreeMap<Class, BTreeSet<(u64, &str)>> = BTreeMap::new();
    let mut grouped: BTreeMap<(&str, Class), Vec<Ticket>> = BTreeMap::new();
    for (at, plan) in plans.iter().enumerate() {
        let (class, word, number) = (plan.class(), plan.perturbation.word(), seed.number(plan.to_string()));
        words.entry(class).or_default().insert(word.clone());
        let rank = seed.number((class.as_str(), plan.scenario));
        scenarios.entry(class).or_default().insert((rank, plan.scenario));
        grouped.entry((plan.scenario, class)).or_default().push(Ticket { at, word, number });
    }
    if count < grouped.len() {
        return Err(Impossible::TooFew { pairs: grouped.len() });
    }
    if count > plans.len() {
        return Err(Impossible::TooMany { plans: plans.len() });
    }
    let mut pairs: Vec<(u64, Pair<'_>)> = Vec::new();
    for ((scenario, class), left) in grouped {
        let turn = scenarios[&class].iter().position(|(_, other)| *other == scenario).unwrap_or_default();
        let order = seed.number((scenario, class.as_str(), "order"));
        pairs.push((order, Pair { turn, words: &words[&class], left }));
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

/// The classes that a scenario should have met and has not, a line each.
pub fn missing<'a>(
    due: impl IntoIterator<Item = (&'a str, Class)>,
    played: &BTreeSet<(&str, Class)>,
) -> Vec<String> {
    let unmet = due.into_iter().filter(|pair| !played.contains(pair));
    unmet.map(|(scenario, class)| format!("{scenario} has not met the class {class}")).collect()
}

#[cfg(test)]
mod tests;
