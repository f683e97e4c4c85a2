//! Reads `limits:`, what commands may use of the computer.

use super::section::Section;
use tools::ResourceLimits;

/// The defaults, changed as the section says.
pub(super) fn read(section: &Section<'_>) -> ResourceLimits {
    let usual = ResourceLimits::default();
    let number = |key, least, most, usual| section.number(key, least..=most).unwrap_or(usual);
    ResourceLimits {
        memory_mb: number("memory_mb", 64, 16_000_000, usual.memory_mb),
        all_memory_mb: number("all_memory_mb", 64, 16_000_000, usual.all_memory_mb),
        processes: number("processes", 16, 100_000, usual.processes),
        all_processes: number("all_processes", 16, 1_000_000, usual.all_processes),
        processors: section.number("processors", 1..=1_024),
    }
}
