//! What was said once and is not said again until it has stopped being true.

use std::collections::BTreeSet;

/// Messages that were said.
#[derive(Debug, Default)]
pub(crate) struct Told(BTreeSet<String>);

impl Told {
    /// Whether this was not said yet. From now on it was.
    pub(crate) fn is_news(&mut self, message: &str) -> bool {
        self.0.insert(message.to_owned())
    }

    /// Those of all that is wrong now that were not said yet. What is no longer wrong is forgotten.
    pub(crate) fn news(&mut self, wrong: BTreeSet<String>) -> Vec<String> {
        let news = wrong.difference(&self.0).cloned().collect();
        self.0 = wrong;
        news
    }

    /// Nothing is wrong any more.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_once_and_again_when_it_comes_back() {
        let wrong = |messages: &[&str]| messages.iter().map(|message| (*message).to_owned()).collect();
        let mut told = Told::default();
        assert_eq!(told.news(wrong(&["a", "b"])), ["a", "b"]);
        assert_eq!(told.news(wrong(&["b", "c"])), ["c"]);
        assert_eq!(told.news(wrong(&["a"])), ["a"]);
        assert!(!told.is_news("a"));
        told.forget();
        assert!(told.is_news("a"));
    }
}
