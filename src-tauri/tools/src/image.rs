//! Pictures in what a call gives back: told by their first bytes, and kept within what providers
//! of models take.

/// The largest picture, in bytes: 5 MB of base64, as which it is sent.
const LARGEST: usize = 5 * 1024 * 1024 / 4 * 3;
/// The longest side in pixels.
const LONGEST_SIDE: u32 = 8000;
/// The most pictures of one call.
const MOST: usize = 8;

/// A picture of a type that models take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its type by its own bytes, such as `image/png`.
    pub mime: &'static str,
    /// The file as it is.
    pub bytes: Vec<u8>,
}

/// What a picture says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    mime: &'static str,
    name: &'static str,
    size: (u32, u32),
}

impl Kind {
    /// What these bytes are, if they are a picture: its beginning is enough, except for JPEG.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let (mime, name, size) = match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => {
                ("image/png", "PNG", png(bytes)?)
            }
            [0xff, 0xd8, 0xff, ..] => ("image/jpeg", "JPEG", jpeg(bytes)?),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => {
                ("image/gif", "GIF", (little(bytes, 6, 2)?, little(bytes, 8, 2)?))
            }
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                ("image/webp", "WebP", webp(bytes)?)
            }
            _ => return None,
        };
        Some(Self { mime, name, size })
    }

    fn words(self, bytes: usize) -> String {
        let (wide, high) = self.size;
        format!("an image, {}, {wide}×{high}, {}", self.name, amount(bytes))
    }
}

/// The pictures of one call, and what is said of each.
#[derive(Debug, Default)]
pub(crate) struct Images(pub(crate) Vec<Image>);

impl Images {
    /// Takes a picture in, or says why it is not shown.
    pub(crate) fn take(&mut self, kind: Kind, bytes: Vec<u8>) -> String {
        let words = kind.words(bytes.len());
        let (wide, high) = kind.size;
        if bytes.len() > LARGEST {
            return format!("{words}; not shown, because it is too large to send");
        }
        if wide.max(high) > LONGEST_SIDE {
            return format!(
                "{words}; not shown, because a side is longer than {LONGEST_SIDE} pixels"
            );
        }
        if self.0.len() == MOST {
            return format!("{words}; not shown, because there are more than {MOST}");
        }
        self.0.push(Image { mime: kind.mime, bytes });
        words
    }
}

/// A number of bytes as a person says it.
fn amount(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000.. => format!("{:.1} MB", bytes as f64 / 1_000_000.0),
    }
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?))
}

/// Goes from segment to segment up to the one with the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        match marker {
            // It may be filled up.
            0xff => at += 1,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            // The picture itself, or its end.
            0xd9 | 0xda => return None,
            _ => at += 2 + big(bytes, at + 2, 2)? as usize,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff)),
        b"VP8L" => {
            let both = little(bytes, 21, 4)?;
            Some(((both & 0x3fff) + 1, (both >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let part = bytes.get(at..at + length)?;
    Some(part.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let part = bytes.get(at..at + length)?;
    Some(part.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture's beginning, with its size where each type has it.
    fn picture(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    fn png_of(wide: u32, high: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
        picture(&[head, &wide.to_be_bytes(), &high.to_be_bytes()])
    }

    #[test]
    fn a_type_and_a_size_are_told_by_the_bytes() {
        let jpeg = picture(&[
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08",
            &480u16.to_be_bytes(),
            &640u16.to_be_bytes(),
        ]);
        let gif = picture(&[b"GIF89a", &640u16.to_le_bytes(), &480u16.to_le_bytes()]);
        let riff = |kind: &[u8], rest: &[u8]| picture(&[b"RIFF\0\0\0\0WEBP", kind, rest]);
        let lossy = riff(b"VP8 ", b"\0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01");
        let lossless = (639u32 | 479 << 14).to_le_bytes();
        let lossless = riff(b"VP8L", &picture(&[b"\0\0\0\0\x2f", &lossless]));
        let extended = riff(b"VP8X", b"\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0");
        for (bytes, name) in [
            (png_of(640, 480), "PNG"),
            (jpeg, "JPEG"),
            (gif, "GIF"),
            (lossy, "WebP"),
            (lossless, "WebP"),
            (extended, "WebP"),
        ] {
            let kind = Kind::of(&bytes).unwrap();
            assert_eq!((kind.name, kind.size), (name, (640, 480)));
            // One that is cut is none.
            assert_eq!(Kind::of(&bytes[..bytes.len() - 1]), None, "{name}");
        }
        assert_eq!(Kind::of(b"%PDF-1.7"), None);
        assert_eq!(Kind::of(b"\xff\xd8\xff\xda"), None);
    }

    #[test]
    fn what_no_provider_takes_is_said_and_not_sent() {
        let mut images = Images::default();
        let mut take = |wide: u32, length: usize| {
            let mut bytes = png_of(wide, 480);
            bytes.resize(length, 0);
            images.take(Kind::of(&bytes).unwrap(), bytes)
        };
        assert_eq!(take(640, 12_000), "an image, PNG, 640×480, 12 kB");
        let large = "an image, PNG, 640×480, 3.9 MB; not shown, because it is too large to send";
        assert_eq!(take(640, LARGEST + 1), large);
        assert!(take(8001, 100).ends_with("because a side is longer than 8000 pixels"));
        for _ in 1..MOST {
            take(8000, 100);
        }
        assert!(take(1, 100).ends_with("because there are more than 8"));
        assert_eq!(images.0.len(), MOST);
    }
}
