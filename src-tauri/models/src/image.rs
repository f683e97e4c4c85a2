//! A picture on its way to a model.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A picture that a tool gave back.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime: String,
    /// The file as it is.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes)", self.mime, self.bytes.len())
    }
}

impl Image {
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.mime, self.base64())
    }
}

/// About what a picture costs, whatever its bytes: providers count its area, up to a limit.
const TOKENS: u64 = 1_600;

/// The pictures of a history, which cost other than its words.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pictures {
    count: u64,
    bytes: usize,
}

impl Pictures {
    pub(crate) fn add(&mut self, images: &[Image]) {
        self.count += images.len() as u64;
        self.bytes += images.iter().map(|image| image.bytes.len().div_ceil(3) * 4).sum::<usize>();
    }

    pub(crate) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Their length as base64.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    pub(crate) fn tokens(self) -> u64 {
        self.count * TOKENS
    }
}
