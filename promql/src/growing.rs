//! A list that grows on the stack as long as it is short. Most queries have few parts: their list is then made once, and
//! exactly as long as it is.

/// A list of things that can be copied.
#[derive(Debug)]
pub(crate) struct Growing<T, const SHORT: usize> {
    short: [T; SHORT],
    length: usize,
    /// All of them, once they are too many.
    long: Vec<T>,
}

impl<T: Copy, const SHORT: usize> Growing<T, SHORT> {
    /// Nothing yet; places that are not used hold this.
    pub(crate) fn new(unused: T) -> Self {
        Self { short: [unused; SHORT], length: 0, long: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, thing: T) {
        if self.length < SHORT {
            self.short[self.length] = thing;
        } else {
            if self.length == SHORT {
                self.long.reserve(SHORT * 4);
                self.long.extend_from_slice(&self.short);
            }
            self.long.push(thing);
        }
        self.length += 1;
    }

    pub(crate) fn get(&self, index: usize) -> &T {
        if self.length <= SHORT { &self.short[index] } else { &self.long[index] }
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> &mut T {
        if self.length <= SHORT { &mut self.short[index] } else { &mut self.long[index] }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        if self.length <= SHORT { self.short[..self.length].to_vec() } else { self.long }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_and_a_long_list_hold_the_same() {
        for length in [0, 3, 4, 5, 9] {
            let mut list = Growing::<usize, 4>::new(0);
            for number in 0..length {
                list.push(number);
                *list.get_mut(number) += 1;
                assert_eq!((list.len(), *list.get(0)), (number + 1, 1));
            }
            assert_eq!(list.into_vec(), (1..=length).collect::<Vec<_>>());
        }
    }
}
