//! What is said of a list of times.

use std::time::Duration;

/// The value below which this part of the list lies, in milliseconds.
pub fn quantile(times: &[Duration], part: f64) -> f64 {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small index")]
    let index = (last as f64 * part).round() as usize;
    sorted[index.min(last)]
}

/// The value in the middle, in milliseconds.
pub fn median(times: &[Duration]) -> f64 {
    quantile(times, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_tail_are_found() {
        let times: Vec<Duration> = (1..=101).rev().map(Duration::from_millis).collect();
        assert_eq!((median(&times), quantile(&times, 0.95)), (51.0, 96.0));
        assert!(median(&[]).is_nan());
    }
}
