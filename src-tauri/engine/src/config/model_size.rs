//! How large a model is, as far as its name says: `qwen2.5-coder:1.5b`, `Mixtral-8x7B`.

/// Below this many billion parameters a model does better with simple forms.
const SMALL: f64 = 9.0;

/// Whether a model of so many billion parameters is a small one.
pub(crate) fn is_small(billions: f64) -> bool {
    billions < SMALL
}

/// The size in one part of a name, in billions of parameters. `8x7b` is eight experts of 7, `270m`
/// is in millions, and `e4b` counts the parameters in effect.
pub(super) fn in_part(part: &str) -> Option<f64> {
    let part = part.strip_prefix('e').unwrap_or(part);
    let (number, unit) = match (part.strip_suffix('b'), part.strip_suffix('m')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 0.001),
        (None, None) => return None,
    };
    let billions = match number.split_once('x') {
        Some((experts, each)) => plain(experts)? * plain(each)?,
        None => plain(number)?,
    };
    Some(billions * unit)
}

/// Whether a part says how many parameters are active at a time, as in `qwen3:30b-a3b`.
pub(super) fn is_active_part(part: &str) -> bool {
    part.strip_prefix('a').and_then(in_part).is_some()
}

/// A number of digits and at most one dot: no sign, exponent or `nan`.
fn plain(number: &str) -> Option<f64> {
    let digits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !digits || number.starts_with('.') {
        return None;
    }
    number.parse().ok().filter(|number| *number > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_from_a_part_of_a_name() {
        let sizes = ["1.5b", "7b", "270m", "e4b", "120b"].map(in_part);
        assert_eq!(sizes, [Some(1.5), Some(7.0), Some(0.27), Some(4.0), Some(120.0)]);
        assert_eq!(in_part("8x7b"), Some(56.0));
    }

    #[test]
    fn what_only_looks_like_a_size_is_none() {
        for part in ["4bit", "q4", "b", "v3", "x7b", "8xb", "1e9b", "-7b", "nanb", "0b", "128k", ""]
        {
            assert_eq!(in_part(part), None, "{part}");
        }
    }

    #[test]
    fn nine_billion_is_no_longer_small() {
        assert!(is_small(8.9) && !is_small(9.0));
    }
}
