//! A list that is on the stack while it is short. Most queries have few expressions: then their list is allocated
//! once, with the exact capacity.

/// A list of elements that can be copied.
#[derive(Debug)]
pub(crate) struct Growing<T, const SHORT: usize> {
    short: [T; SHORT],
    length: usize,
    /// All elements, once there are too many for `short`.
    long: Vec<T>,
}

impl<T: Copy, const SHORT: usize> Growing<T, SHORT> {
    /// An empty list. Unused slots have this value.
    pub(crate) fn new(unused: T) -> Self {
        Self { short: [unused; SHORT], length: 0, long: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, element: T) {
        if self.length < SHORT {
            self.short[self.length] = element;
        } else {
            if self.length == SHORT {
                self.long.reserve(SHORT * 4);
                self.long.extend_from_slice(&self.short);
            }
            self.long.push(element);
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
    fn short_and_long_lists_have_the_same_elements() {
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
