//! Quiet hours: a part of the day, in the computer's own time.

use std::fmt;
use std::str::FromStr;

/// From one time of day to another, past midnight if need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    from: u16,
    to: u16,
}

/// What a text has to be to mean quiet hours.
pub(super) const ALLOWED: &str =
    "two different times of day such as 22:00-07:00, or nothing for none";

/// The text does not mean quiet hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{ALLOWED}")]
pub struct NotQuietHours;

impl QuietHours {
    /// Whether a time of day is within; its beginning is, its end is not.
    pub fn covers(self, hour: u16, minute: u16) -> bool {
        let now = hour * 60 + minute;
        if self.from < self.to {
            (self.from..self.to).contains(&now)
        } else {
            now >= self.from || now < self.to
        }
    }
}

impl FromStr for QuietHours {
    type Err = NotQuietHours;

    fn from_str(text: &str) -> Result<Self, NotQuietHours> {
        let (from, to) = text.split_once('-').ok_or(NotQuietHours)?;
        let (from, to) = (minutes(from.trim())?, minutes(to.trim())?);
        // The same time twice could mean never or always.
        if from == to { Err(NotQuietHours) } else { Ok(Self { from, to }) }
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(out, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

fn minutes(time: &str) -> Result<u16, NotQuietHours> {
    let (hour, minute) = time.split_once(':').ok_or(NotQuietHours)?;
    let number = |digits: &str, lengths: std::ops::RangeInclusive<usize>, most: u16| {
        let plain = lengths.contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number: Option<u16> = digits.parse().ok().filter(|number| plain && *number <= most);
        number.ok_or(NotQuietHours)
    };
    Ok(number(hour, 1..=2, 23)? * 60 + number(minute, 2..=2, 59)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_goes_past_midnight() {
        let night: QuietHours = "22:00-7:30".parse().unwrap();
        assert_eq!(night.to_string(), "22:00-07:30");
        for (hour, minute, quiet) in
            [(21, 59, false), (22, 0, true), (0, 0, true), (7, 29, true), (7, 30, false)]
        {
            assert_eq!(night.covers(hour, minute), quiet, "{hour}:{minute}");
        }
        let lunch: QuietHours = "12:00 - 13:00".parse().unwrap();
        assert!(lunch.covers(12, 59) && !lunch.covers(13, 0) && !lunch.covers(11, 59));
    }

    #[test]
    fn what_is_no_part_of_a_day_is_refused() {
        let bad =
            ["", "22:00", "22-7", "24:00-07:00", "22:60-07:00", "8:00-8:00", "+8:00-9:00", "a-b"];
        for text in bad {
            assert_eq!(text.parse::<QuietHours>(), Err(NotQuietHours), "{text}");
        }
    }
}
