//! The only module that reads the environment: all variables as they were at the start of the program, and the ordinal
//! of the pod.

use std::collections::HashMap;
use std::os::unix::ffi::OsStringExt as _;

/// The variable for the number at the end of the pod's name.
const ORDINAL: &str = "STATEFULSET_ORDINAL_NUMBER";

/// Variables and their values; both can be any bytes.
#[derive(Debug, Default)]
pub struct Environment(HashMap<Vec<u8>, Vec<u8>>);

impl Environment {
    /// The variables of this process, and the ordinal at the end of the variable `ordinal_from`.
    pub fn of_process(ordinal_from: &str) -> Self {
        let variables = std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec()));
        Self::of(variables, ordinal_from)
    }

    /// These variables, and the ordinal. It is always set; it is empty if `ordinal_from` does not end in a number.
    pub fn of(variables: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>, ordinal_from: &str) -> Self {
        let mut variables: HashMap<_, _> = variables.into_iter().collect();
        let source = variables.get(ordinal_from.as_bytes()).map_or(&[][..], Vec::as_slice);
        let digits = source.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let ordinal = source[source.len() - digits..].to_vec();
        variables.insert(ORDINAL.into(), ordinal);
        Self(variables)
    }

    /// The value of a variable, if it is set.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ordinal_is_the_number_at_the_end() {
        for (name, ordinal) in [("prometheus-main-12", "12"), ("web-0x", ""), ("7", "7"), ("", "")] {
            let environment = Environment::of([(b"POD".to_vec(), name.into())], "POD");
            assert_eq!(environment.get(ORDINAL.as_bytes()), Some(ordinal.as_bytes()), "{name}");
        }
        assert_eq!(Environment::of([], "POD").get(ORDINAL.as_bytes()), Some(&b""[..]));
        assert_eq!(Environment::of([], "POD").get(b"POD"), None);
    }
}
