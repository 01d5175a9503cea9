//! The stream of a watch: the script controls whether lines pass or wait, and when the stream ends.

use bytes::{Bytes, BytesMut};
use futures::stream::{self, BoxStream, Stream, StreamExt};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use tokio::sync::watch;
use tower::BoxError;

/// The body of an answer.
pub(super) type Answer = UnsyncBoxBody<Bytes, BoxError>;

/// How a stream ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// As a server ends it after its time.
    Clean,
    /// As a connection breaks.
    Broken,
    /// With this event.
    Event(Bytes),
}

/// The control of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Control {
    /// Nothing passes.
    pub(super) silent: bool,
    /// The next event is truncated, and the stream ends.
    pub(super) truncate: bool,
    /// It ends now; what has not passed is lost.
    pub(super) end: Option<End>,
}

/// Puts a stream under control.
pub(super) fn follow(
    events: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static,
    control: watch::Receiver<Control>,
) -> Answer {
    let state =
        Follow { events: Some(events.boxed()), lines: Lines::default(), control, cut: false, alone: false };
    let parts = stream::unfold(state, |mut state| async move {
        let part = state.next().await?;
        Some((part.map(Frame::data), state))
    });
    BodyExt::boxed_unsync(StreamBody::new(parts.fuse()))
}

struct Follow {
    /// Nothing when it has ended.
    events: Option<BoxStream<'static, Result<Bytes, BoxError>>>,
    lines: Lines,
    control: watch::Receiver<Control>,
    /// The script has ended it.
    cut: bool,
    /// The script no longer exists: its last control stays in force.
    alone: bool,
}

impl Follow {
    async fn next(&mut self) -> Option<Result<Bytes, BoxError>> {
        while !self.cut {
            let Control { silent, truncate, end } = self.control.borrow_and_update().clone();
            self.cut = end.is_some();
            match end {
                Some(End::Clean) => break,
                Some(End::Broken) => return Some(Err(broken())),
                Some(End::Event(line)) => return Some(Ok(line)),
                None => {}
            }
            if !silent {
                if let Some(line) = self.lines.next() {
                    self.cut = truncate;
                    return Some(Ok(if truncate { line.slice(..line.len() / 2) } else { line }));
                }
                // The stream of the server has ended, so no more lines come.
                self.events.as_ref()?;
            }
            // Held events stay in the connection, so that the server notices the delay too.
            let arriving = async {
                match &mut self.events {
                    Some(events) if !silent => events.next().await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                changed = self.control.changed(), if !self.alone => self.alone = changed.is_err(),
                arrived = arriving => match arrived {
                    Some(Ok(bytes)) => self.lines.add(&bytes),
                    Some(Err(error)) => return Some(Err(error)),
                    None => self.events = None,
                },
            }
        }
        // This also closes the connection to the server.
        self.events = None;
        None
    }
}

/// The error of a broken connection.
pub(super) fn broken() -> BoxError {
    std::io::Error::new(std::io::ErrorKind::ConnectionReset, "connection reset by a test").into()
}

/// Bytes in, whole lines out.
#[derive(Debug, Default)]
struct Lines(BytesMut);

impl Lines {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Bytes> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        Some(self.0.split_to(end + 1).freeze())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::mpsc;

    use super::*;

    struct Streaming {
        server: mpsc::UnboundedSender<&'static str>,
        control: watch::Sender<Control>,
        answer: Answer,
    }

    fn streaming() -> Streaming {
        let (server, events) = mpsc::unbounded_channel::<&'static str>();
        let (control, receiver) = watch::channel(Control::default());
        let events = stream::unfold(events, |mut events| async move {
            let text = events.recv().await?;
            Some((Ok(Bytes::from_static(text.as_bytes())), events))
        });
        Streaming { server, control, answer: follow(events, receiver) }
    }

    impl Streaming {
        /// What passes now; `-` if nothing does, `end` at the end.
        fn passes(&mut self) -> String {
            match self.answer.frame().now_or_never() {
                None => "-".into(),
                Some(None) => "end".into(),
                Some(Some(Ok(frame))) => {
                    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap().replace('\n', "|")
                }
                Some(Some(Err(error))) => error.to_string(),
            }
        }

        fn set(&self, silent: bool, end: Option<End>) {
            self.control.send_replace(Control { silent, truncate: false, end });
        }
    }

    #[tokio::test]
    async fn whole_lines_pass_and_wait() {
        let mut streaming = streaming();
        for part in ["one\ntw", "o\nthree\n"] {
            streaming.server.send(part).unwrap();
        }
        assert_eq!([streaming.passes(), streaming.passes()], ["one|", "two|"]);
        streaming.set(true, None);
        assert_eq!(streaming.passes(), "-");
        streaming.set(false, None);
        assert_eq!([streaming.passes(), streaming.passes()], ["three|", "-"]);
        drop(streaming.server);
        drop(streaming.control);
        assert!(streaming.answer.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_stream_that_waits_is_ended() {
        let Streaming { server, control, mut answer } = streaming();
        let mut reading = std::pin::pin!(answer.frame());
        assert!(reading.as_mut().now_or_never().is_none());
        control.send_replace(Control { end: Some(End::Broken), ..Control::default() });
        assert!(reading.await.unwrap().is_err());
        drop(server);
    }

    #[tokio::test]
    async fn held_events_are_lost_at_the_end() {
        let event = End::Event(Bytes::from_static(b"gone\n"));
        let cases = [(End::Clean, "end"), (End::Broken, "connection reset by a test"), (event, "gone|")];
        for (end, expected) in cases {
            let mut streaming = streaming();
            streaming.set(true, None);
            streaming.server.send("held\n").unwrap();
            assert_eq!(streaming.passes(), "-");
            streaming.set(false, Some(end));
            assert_eq!([streaming.passes(), streaming.passes()], [expected, "end"]);
        }
    }

    #[tokio::test]
    async fn a_truncated_event_is_the_last() {
        let mut streaming = streaming();
        streaming.control.send_replace(Control { truncate: true, ..Control::default() });
        streaming.server.send("0123456789\nnext\n").unwrap();
        assert_eq!([streaming.passes(), streaming.passes()], ["01234", "end"]);
    }
}
