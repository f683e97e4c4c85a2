//! Reads the caps, under their own names and under those other files use, each
//! within bounds.

use std::ops::RangeInclusive;

use plan::Caps;

use super::section::{Section, one_of};

/// A day in seconds: nothing that runs unattended should take longer.
const DAY: u64 = 86_400;

/// The sections that hold caps under other names.
pub(super) struct OtherNames<'s, 'a> {
    pub(super) planner: &'s Section<'a>,
    pub(super) coordination: &'s Section<'a>,
    pub(super) timeouts: &'s Section<'a>,
}

/// The defaults, changed as the sections say.
pub(super) fn read<'a>(caps: &Section<'a>, other: &OtherNames<'_, 'a>) -> Caps {
    let usual = Caps::default();
    let small = |key, range, usual| number(caps, key, range, usual);
    let either = |key, other: (&Section<'a>, &'static str), range, usual| {
        let (section, key) = one_of((caps, key), other);
        number(section, key, range, usual)
    };
    let (timeout, timeout_key) = one_of((caps, "timeout_ms"), (other.planner, "timeoutMs"));
    Caps {
        steps: small("steps", 1..=1_000, usual.steps),
        nodes: either("nodes", (other.planner, "maxNodes"), 1..=1_000, usual.nodes),
        attempts: small("attempts", 1..=100, usual.attempts),
        repeats: small("repeats", 1..=100, usual.repeats),
        idle_turns: small("idle_turns", 1..=100, usual.idle_turns),
        planning_turns: small("planning_turns", 1..=1_000, usual.planning_turns),
        auto_steps: small("auto_steps", 1..=1_000, usual.auto_steps),
        sidekicks: small("sidekicks", 1..=1_000, usual.sidekicks),
        sidekicks_per_plan: small("sidekicks_per_plan", 1..=100, usual.sidekicks_per_plan),
        sidekick_turns: small("sidekick_turns", 1..=10_000, usual.sidekick_turns),
        sidekick_seconds: small("sidekick_seconds", 1..=DAY, usual.sidekick_seconds),
        stalled_seconds: small("stalled_seconds", 1..=DAY, usual.stalled_seconds),
        parallelism: either(
            "parallelism",
            (other.planner, "parallelism"),
            1..=100,
            usual.parallelism,
        ),
        depth: either("depth", (other.planner, "maxDepth"), 1..=10, usual.depth),
        timeout_ms: timeout.number(timeout_key, 1..=DAY * 1_000).unwrap_or(usual.timeout_ms),
        council_seconds: either(
            "council_seconds",
            (other.timeouts, "orchestrator_timeout_seconds"),
            1..=DAY,
            usual.council_seconds,
        ),
        council_restarts: either(
            "council_restarts",
            (other.coordination, "max_orchestration_restarts"),
            0..=20,
            usual.council_restarts,
        ),
        shell_seconds: small("shell_seconds", 1..=DAY, usual.shell_seconds),
        tool_seconds: small("tool_seconds", 1..=DAY, usual.tool_seconds),
        tokens: caps.number("tokens", 1..=1_000_000_000_000).or(usual.tokens),
        cost_micros: caps.number("cost_micros", 1..=1_000_000_000_000).or(usual.cost_micros),
        seconds: caps.number("seconds", 1..=DAY * 366).or(usual.seconds),
    }
}

fn number(section: &Section<'_>, key: &'static str, range: RangeInclusive<u64>, usual: u32) -> u32 {
    let number = section.number(key, range);
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual)
}
