//! Names of sets of characters that Go knows. It compares names without regard to case, blanks, dashes and underscores;
//! the scripts whose own name has two words it therefore never finds, and neither do we.

use super::{Fault, Invalid};

/// Kinds of character.
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Lc", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl",
    "Zp", "Zs",
];

/// Longer names of the kinds, and sets that are no kind.
const ALIASES: &[&str] = &[
    "Any",
    "Ascii",
    "Assigned",
    "Casedletter",
    "Closepunctuation",
    "Cntrl",
    "Combiningmark",
    "Connectorpunctuation",
    "Control",
    "Currencysymbol",
    "Dashpunctuation",
    "Decimalnumber",
    "Digit",
    "Enclosingmark",
    "Finalpunctuation",
    "Format",
    "Initialpunctuation",
    "Letter",
    "Letternumber",
    "Lineseparator",
    "Lowercaseletter",
    "Mark",
    "Mathsymbol",
    "Modifierletter",
    "Modifiersymbol",
    "Nonspacingmark",
    "Number",
    "Openpunctuation",
    "Other",
    "Otherletter",
    "Othernumber",
    "Otherpunctuation",
    "Othersymbol",
    "Paragraphseparator",
    "Privateuse",
    "Punct",
    "Punctuation",
    "Separator",
    "Spaceseparator",
    "Spacingmark",
    "Surrogate",
    "Symbol",
    "Titlecaseletter",
    "Unassigned",
    "Uppercaseletter",
];

/// Scripts.
const SCRIPTS: &[&str] = &[
    "Adlam",
    "Ahom",
    "Arabic",
    "Armenian",
    "Avestan",
    "Balinese",
    "Bamum",
    "Batak",
    "Bengali",
    "Bhaiksuki",
    "Bopomofo",
    "Brahmi",
    "Braille",
    "Buginese",
    "Buhid",
    "Carian",
    "Chakma",
    "Cham",
    "Cherokee",
    "Chorasmian",
    "Common",
    "Coptic",
    "Cuneiform",
    "Cypriot",
    "Cyrillic",
    "Deseret",
    "Devanagari",
    "Dogra",
    "Duployan",
    "Elbasan",
    "Elymaic",
    "Ethiopic",
    "Georgian",
    "Glagolitic",
    "Gothic",
    "Grantha",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Han",
    "Hangul",
    "Hanunoo",
    "Hatran",
    "Hebrew",
    "Hiragana",
    "Inherited",
    "Javanese",
    "Kaithi",
    "Kannada",
    "Katakana",
    "Kawi",
    "Kharoshthi",
    "Khmer",
    "Khojki",
    "Khudawadi",
    "Lao",
    "Latin",
    "Lepcha",
    "Limbu",
    "Lisu",
    "Lycian",
    "Lydian",
    "Mahajani",
    "Makasar",
    "Malayalam",
    "Mandaic",
    "Manichaean",
    "Marchen",
    "Medefaidrin",
    "Miao",
    "Modi",
    "Mongolian",
    "Mro",
    "Multani",
    "Myanmar",
    "Nabataean",
    "Nandinagari",
    "Newa",
    "Nko",
    "Nushu",
    "Ogham",
    "Oriya",
    "Osage",
    "Osmanya",
    "Palmyrene",
    "Phoenician",
    "Rejang",
    "Runic",
    "Samaritan",
    "Saurashtra",
    "Sharada",
    "Shavian",
    "Siddham",
    "Sinhala",
    "Sogdian",
    "Soyombo",
    "Sundanese",
    "Syriac",
    "Tagalog",
    "Tagbanwa",
    "Takri",
    "Tamil",
    "Tangsa",
    "Tangut",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
    "Tifinagh",
    "Tirhuta",
    "Toto",
    "Ugaritic",
    "Vai",
    "Vithkuqi",
    "Wancho",
    "Yezidi",
    "Yi",
];

/// What comes after a set such as `\pL` or `\p{Greek}`, if the text begins with one.
pub(super) fn skip(text: &str) -> Result<Option<&str>, Invalid> {
    if !text.starts_with(r"\p") && !text.starts_with(r"\P") {
        return Ok(None);
    }
    let length = match text[2..].chars().next() {
        Some('{') => text.find('}').ok_or_else(|| Fault::CharacterRange.at(text))? + 1,
        Some(letter) => 2 + letter.len_utf8(),
        None => 2,
    };
    let (set, rest) = text.split_at(length);
    let name = set[2..].strip_prefix('{').map_or(&set[2..], |name| name.strip_suffix('}').unwrap_or(name));
    if is_known(name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some(rest))
    } else {
        Err(Fault::CharacterRange.at(set))
    }
}

fn is_known(name: &str) -> bool {
    let mut canonical = String::with_capacity(name.len());
    for character in name.chars().filter(|character| !matches!(character, '_' | '-' | ' ')) {
        let first = canonical.is_empty();
        canonical.push(if first { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() });
    }
    let canonical = canonical.as_str();
    [CATEGORIES, ALIASES, SCRIPTS].iter().any(|names| names.binary_search(&canonical).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for names in [CATEGORIES, ALIASES, SCRIPTS] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
