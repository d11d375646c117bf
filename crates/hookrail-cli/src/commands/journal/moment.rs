use crate::error::CliError;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// A time as people write it: an age (`30m`, `12h`, `7d`), a day (`2026-11-14`, `today`), or a time of day, all in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its first and its last millisecond since 1970: a day is long.
    pub first: i64,
    pub last: i64,
}

impl Moment {
    pub fn parse(text: &str, now_millis: i64) -> Result<Self, CliError> {
        let now = Timestamp::from_millisecond(now_millis).unwrap_or_default();
        let today = now.to_zoned(TimeZone::UTC).date();
        let day = match text {
            "today" => Some(today),
            "yesterday" => today.yesterday().ok(),
            _ => text.parse::<Date>().ok().filter(|_| !text.contains([':', 'T'])),
        };
        if let Some(day) = day {
            return Self::day(day).ok_or_else(|| unreadable(text));
        }
        if let Ok(time) = text.trim_end_matches('Z').parse::<DateTime>() {
            let time = time.to_zoned(TimeZone::UTC).map_err(|_| unreadable(text))?;
            return Ok(Self::exactly(time.timestamp()));
        }
        let age = parse_age(text)?;
        Ok(Self::exactly(now.checked_sub(age).unwrap_or(Timestamp::MIN)))
    }

    fn exactly(time: Timestamp) -> Self {
        Self { first: time.as_millisecond(), last: time.as_millisecond() }
    }

    fn day(day: Date) -> Option<Self> {
        let start = |day: Date| Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond());
        Some(Self { first: start(day)?, last: start(day.checked_add(1.day()).ok()?)? - 1 })
    }
}

fn parse_age(text: &str) -> Result<SignedDuration, CliError> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: i64 = number.parse().map_err(|_| unreadable(text))?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        "" => return Err(CliError::usage(format!("`{text}` needs a unit: s, m, h, d or w"))),
        _ => return Err(unreadable(text)),
    };
    Ok(SignedDuration::from_secs(number.saturating_mul(seconds)))
}

fn unreadable(text: &str) -> CliError {
    CliError::usage(format!("`{text}` is not a time such as 30m, 12h or 7d, 2026-11-14, or 2026-11-14T09:30"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ages_days_or_times_of_day() {
        const HOUR: i64 = 60 * 60 * 1000;
        const DAY: i64 = 24 * HOUR;
        // 1970-01-11T12:00:00Z
        let now = 10 * DAY + 12 * HOUR;
        let exactly = |millis: i64| Some((millis, millis));
        let cases = [
            ("30s", exactly(now - 30_000)),
            ("90m", exactly(now - 90 * 60_000)),
            ("2h", exactly(now - 2 * HOUR)),
            ("7d", exactly(now - 7 * DAY)),
            ("1w", exactly(now - 7 * DAY)),
            ("today", Some((10 * DAY, 11 * DAY - 1))),
            ("yesterday", Some((9 * DAY, 10 * DAY - 1))),
            ("1970-01-02", Some((DAY, 2 * DAY - 1))),
            ("1970-01-02T03:00", exactly(DAY + 3 * HOUR)),
            ("1970-01-02 03:00:01Z", exactly(DAY + 3 * HOUR + 1000)),
            ("5", None),
            ("soon", None),
            ("", None),
            ("1970-13-01", None),
            ("5y", None),
            ("-5m", None),
        ];
        for (text, expected) in cases {
            let moment = Moment::parse(text, now).ok().map(|moment| (moment.first, moment.last));
            assert_eq!(moment, expected, "{text}");
        }
        assert!(Moment::parse("99999999999999d", now).is_ok(), "longer ago than there is time");
    }
}
