//! Additional configuration of users in the YAML of Prometheus. It is copied without changes, in its order.

use formats::yaml::{self, Map, ReadError, Value};
use monitoring_select::Server;

use crate::sharding;

/// Why a text is not a list of maps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAList {
    /// The text is not YAML.
    #[error("yaml: {0}")]
    Unreadable(#[source] ReadError),
    /// It is a map, like a whole file.
    #[error("yaml: unmarshal errors:\n  line {0}: cannot unmarshal !!map into []yaml.MapSlice")]
    Map(usize),
    /// It is something else.
    #[error("yaml: the text must be a list")]
    Other,
    /// An element is something else.
    #[error("yaml: element {0} must be a map")]
    Element(usize),
}

/// Why additional jobs cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdditionalError {
    /// They cannot be parsed.
    #[error("unmarshalling additional scrape configs failed: {0}")]
    List(#[source] NotAList),
    /// The steps of a job are not a list, and sharding must add steps.
    #[error("error parsing relabel configs: relabel_configs must be a list")]
    Steps,
    /// A step of a job is not a map.
    #[error("error parsing relabel config: each of relabel_configs must be a map")]
    Step,
}

/// The elements of a list of maps.
pub(crate) fn list(text: Option<&str>) -> Result<Vec<Map>, NotAList> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let value = yaml::read(text).map_err(NotAList::Unreadable)?.value;
    if value == Value::Null {
        return Ok(Vec::new());
    }
    if matches!(value, Value::Map(_)) {
        return Err(NotAList::Map(first_line(text)));
    }
    let Value::List(elements) = value else { return Err(NotAList::Other) };
    let maps = elements.into_iter().enumerate().map(|(index, element)| {
        if element == Value::Null {
            return Ok(Map::new());
        }
        let Value::Map(map) = element else { return Err(NotAList::Element(index)) };
        Ok(map)
    });
    maps.collect()
}

/// The number of the first line with content.
fn first_line(text: &str) -> usize {
    let is_empty = |line: &str| line.is_empty() || line.starts_with(['#', '%']) || line == "---";
    text.lines().take_while(|line| is_empty(line.trim())).count() + 1
}

/// Additional jobs, with the steps for sharding.
pub(crate) fn jobs(server: &Server<'_>, text: Option<&str>) -> Result<Vec<Value>, AdditionalError> {
    let jobs = list(text).map_err(AdditionalError::List)?;
    let spread = sharding::concerns_users(server);
    jobs.into_iter().map(|job| if spread { spread_out(server, job) } else { Ok(job.into()) }).collect()
}

/// The job with its steps at the end, and the steps for sharding after them.
fn spread_out(server: &Server<'_>, job: Map) -> Result<Value, AdditionalError> {
    let mut steps = Vec::new();
    let mut rest = Map::new();
    for (key, value) in job.0 {
        if key != Value::from("relabel_configs") {
            rest.0.push((key, value));
            continue;
        }
        let Value::List(own) = value else { return Err(AdditionalError::Steps) };
        for step in own {
            let Value::Map(step) = step else { return Err(AdditionalError::Step) };
            steps.push(step);
        }
    }
    steps.extend(sharding::missing_steps(server, &steps));
    Ok(rest.with("relabel_configs", steps).into())
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use formats::version::Version;

    use super::*;

    fn written(shards: i32, text: &str) -> Result<String, String> {
        let spec = SharedSpec { shards: Some(shards), ..SharedSpec::default() };
        let server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
        let jobs = jobs(&server, Some(text)).map_err(|error| error.to_string())?;
        Ok(yaml::write(&jobs.into()))
    }

    #[test]
    fn jobs_of_one_shard_are_not_changed() {
        for (text, expected) in [
            ("", "[]\n"),
            ("[]", "[]\n"),
            ("- b: 1\n  a: [x]\n-\n", "- b: 1\n  a:\n  - x\n- {}\n"),
            ("- relabel_configs: none\n", "- relabel_configs: none\n"),
        ] {
            assert_eq!(written(1, text), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn sharding_steps_of_users_are_kept_and_come_last() {
        let text = "- relabel_configs:\n  - action: hashmod\n  job_name: a\n";
        assert_eq!(written(2, text), Ok("- job_name: a\n  relabel_configs:\n  - action: hashmod\n".into()));
    }

    #[test]
    fn text_that_is_not_a_list_of_jobs_is_rejected() {
        let failed =
            |words: &str| Err(format!("unmarshalling additional scrape configs failed: yaml: {words}"));
        assert_eq!(written(1, "a"), failed("the text must be a list"));
        let map = "unmarshal errors:\n  line 3: cannot unmarshal !!map into []yaml.MapSlice";
        assert_eq!(written(1, "---\n# mine\na: b"), failed(map));
        assert_eq!(written(1, "- a: b\n- c\n"), failed("element 1 must be a map"));
        let steps = "error parsing relabel configs: relabel_configs must be a list";
        assert_eq!(written(2, "- relabel_configs:\n"), Err(steps.into()));
        let step = "error parsing relabel config: each of relabel_configs must be a map";
        assert_eq!(written(2, "- relabel_configs: [a]\n"), Err(step.into()));
    }
}
