//! Complete configuration files from the cases, written for the programs that check them. Fragments are left out.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::case::Case;

/// The default version of Alertmanager.
pub(crate) const ALERTMANAGER_VERSION: &str = "v0.33.1";

/// A configuration file and its reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// The program that reads it: the name of its folder.
    reader: &'static str,
    /// The version of the reader, without a `v`.
    version: String,
    /// The case that generated it.
    case: String,
    text: String,
}

impl Configuration {
    /// The file that a case generated, if its output is one.
    pub(crate) fn of(case: &Case, output: &Value) -> Option<Self> {
        let (reader, text) = match case.function.as_str() {
            "GenerateServerConfiguration" => ("prometheus", output),
            "GenerateAgentConfiguration" => ("prometheus-agent", output),
            "AddAlertmanagerConfigs" | "initializeFromAlertmanagerConfig" | "alertmanagerConfigFromBytes" => {
                ("alertmanager", output)
            }
            "provisionAlertmanagerConfiguration" => {
                ("alertmanager", &output["alertmanager.yaml.gz (decompressed)"])
            }
            _ => return None,
        };
        let version = case.inputs.pointer("/options/effectiveVersion").and_then(Value::as_str);
        let version = version.unwrap_or(ALERTMANAGER_VERSION).trim_start_matches('v').to_owned();
        Some(Self { reader, version, case: case.name.clone(), text: text.as_str()?.to_owned() })
    }

    /// Writes the file below a folder: by reader, then by version. It is an error if the file exists, so that no case hides
    /// another.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let folder = folder.join(self.reader).join(&self.version);
        let path = folder.join(format!("{}.yaml", self.case.replace('/', "__")));
        let write = || -> Result<()> {
            std::fs::create_dir_all(&folder)?;
            Ok(File::create_new(&path)?.write_all(self.text.as_bytes())?)
        };
        write().with_context(|| format!("writing {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::case::Expected;

    fn case(function: &str, inputs: Value) -> Case {
        let expected = Expected::Output(Value::Null);
        Case { name: "a/1".into(), function: function.into(), inputs, expected, whole: Value::Null }
    }

    #[test]
    fn complete_files_have_a_reader_and_a_version() {
        let found = |reader, version: &str| {
            let (version, case, text) = (version.to_owned(), "a/1".to_owned(), "global: {}".to_owned());
            Some(Configuration { reader, version, case, text })
        };
        let text = json!("global: {}");
        let at = |version: &str| json!({"options": {"effectiveVersion": version}});
        let agent = case("GenerateAgentConfiguration", at("v3.0.0-rc.0"));
        assert_eq!(Configuration::of(&agent, &text), found("prometheus-agent", "3.0.0-rc.0"));
        let secret = json!({"alertmanager.yaml.gz (decompressed)": text, "key": "more"});
        let provisioned = case("provisionAlertmanagerConfiguration", json!({}));
        assert_eq!(Configuration::of(&provisioned, &secret), found("alertmanager", "0.33.1"));
    }

    #[test]
    fn fragments_are_left_out() {
        assert_eq!(Configuration::of(&case("convertHTTPConfig", json!({})), &json!("{}")), None);
    }
}
