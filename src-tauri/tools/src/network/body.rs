//! The body of a request, of which no byte more is passed on than the request says there is. What
//! follows would be another request, to a site that nobody looked at.

use std::io::{Error, ErrorKind, Result};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_buf};

/// The longest line between two pieces.
const LONGEST_LINE: u64 = 1024;

/// How long a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// So many bytes.
    Length(u64),
    /// In pieces, each with its length before it.
    Pieces,
}

impl Body {
    /// Reads it from the two headers that say so, each with all of its values. `None` where they
    /// say two things, which servers read in different ways.
    pub(super) fn parse(lengths: &[&str], encodings: &[&str]) -> Option<Self> {
        match (lengths, encodings) {
            ([], []) => Some(Self::Length(0)),
            ([length], []) => {
                let is_number = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
                is_number.then(|| length.parse().ok().map(Self::Length)).flatten()
            }
            ([], [encoding]) => encoding.eq_ignore_ascii_case("chunked").then_some(Self::Pieces),
            _ => None,
        }
    }

    /// Passes it on, and nothing after it.
    pub(super) async fn pass_on(
        self,
        from: &mut (impl AsyncBufRead + Unpin),
        to: &mut (impl AsyncWrite + Unpin),
    ) -> Result<()> {
        match self {
            Self::Length(length) => pass_on(from, to, length).await?,
            Self::Pieces => loop {
                let length = piece(from).await?;
                // In our own words, so that nobody reads another length in it.
                to.write_all(format!("{length:x}\r\n").as_bytes()).await?;
                if length == 0 {
                    while !line(from).await?.is_empty() {}
                    to.write_all(b"\r\n").await?;
                    break;
                }
                pass_on(from, to, length).await?;
                if !line(from).await?.is_empty() {
                    return Err(bad());
                }
                to.write_all(b"\r\n").await?;
            },
        }
        to.flush().await
    }
}

async fn pass_on(
    from: &mut (impl AsyncBufRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    length: u64,
) -> Result<()> {
    match copy_buf(&mut from.take(length), to).await? == length {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// The length of the next piece.
async fn piece(from: &mut (impl AsyncBufRead + Unpin)) -> Result<u64> {
    let line = line(from).await?;
    let digits = line.split(';').next().unwrap_or_default().trim_end();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_number.then(|| u64::from_str_radix(digits, 16).ok()).flatten().ok_or_else(bad)
}

/// The next line, without its end.
async fn line(from: &mut (impl AsyncBufRead + Unpin)) -> Result<String> {
    let mut line = String::new();
    from.take(LONGEST_LINE).read_line(&mut line).await?;
    line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(bad)
}

fn bad() -> Error {
    ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::Body;

    #[test]
    fn a_length_that_can_be_read_in_two_ways_is_none() {
        assert_eq!(Body::parse(&[], &[]), Some(Body::Length(0)));
        assert_eq!(Body::parse(&["12"], &[]), Some(Body::Length(12)));
        assert_eq!(Body::parse(&[], &["Chunked"]), Some(Body::Pieces));
        for (lengths, encodings) in [
            (&["1", "1"][..], &[][..]),
            (&["1"], &["chunked"]),
            (&["+1"], &[]),
            (&["1, 1"], &[]),
            (&[""], &[]),
            (&["0x1"], &[]),
            (&["99999999999999999999"], &[]),
            (&[], &["chunked", "chunked"]),
            (&[], &["gzip, chunked"]),
            (&[], &["xchunked"]),
        ] {
            assert_eq!(Body::parse(lengths, encodings), None, "{lengths:?} {encodings:?}");
        }
    }

    #[tokio::test]
    async fn nothing_is_passed_on_after_the_body() {
        let rows: &[(Body, &str, Option<&str>)] = &[
            (Body::Length(0), "GET / HTTP/1.1\r\n\r\n", Some("")),
            (Body::Length(3), "abcGET / HTTP/1.1\r\n\r\n", Some("abc")),
            (Body::Length(3), "ab", None),
            (Body::Pieces, "3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\nGET /", Some("3\r\nabc\r\n0\r\n\r\n")),
            (Body::Pieces, "3\r\nabcd\r\n0\r\n\r\n", None),
            (Body::Pieces, "3\nabc\r\n0\r\n\r\n", None),
            (Body::Pieces, "-1\r\nabc\r\n0\r\n\r\n", None),
            (Body::Pieces, "\r\n\r\n", None),
            (Body::Pieces, "fffffffffffffffff\r\n", None),
        ];
        for (body, sent, passed) in rows {
            let mut written = Vec::new();
            let done = body.pass_on(&mut sent.as_bytes(), &mut written).await;
            let written = String::from_utf8(written).unwrap();
            assert_eq!(done.ok().map(|()| written.as_str()), *passed, "{sent:?}");
        }
    }
}
