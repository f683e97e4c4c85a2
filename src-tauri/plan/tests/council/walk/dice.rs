//! What a walk throws: numbers from a seed, and rules for a council.

use plan::*;

/// Numbers from a seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most.max(1)
    }

    pub(super) fn one_in(&mut self, many: u64) -> bool {
        self.roll(many) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        let index = usize::try_from(self.roll(all.len() as u64)).expect("a small number");
        all[index].clone()
    }

    pub(super) fn small(&mut self, most: u32) -> u32 {
        u32::try_from(self.roll(u64::from(most))).expect("a small number")
    }
}

/// Prints the seed of a walk that fails.
pub(super) struct Seed(pub(super) u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the walk failed: PLANCARD_COUNCIL_SEED={}", self.0);
        }
    }
}

/// Rules for a council, also odd ones.
pub(super) fn rules(dice: &mut Dice) -> CouncilRules {
    let some = |dice: &mut Dice, most: u32| (!dice.one_in(3)).then(|| dice.small(most));
    CouncilRules {
        defer_voting_until_all_answered: dice.one_in(2),
        max_new_answers_per_agent: some(dice, 4),
        max_new_answers_global: some(dice, 6).filter(|_| dice.one_in(2)),
        answer_novelty_requirement: dice.pick(&[
            Novelty::Lenient,
            Novelty::Balanced,
            Novelty::Strict,
        ]),
        fairness_lead_cap_answers: some(dice, 3),
        max_midstream_injections_per_round: dice.small(3),
        orchestrator_timeout_seconds: 60 + dice.small(1_800),
        initial_round_timeout_seconds: some(dice, 600),
        subsequent_round_timeout_seconds: some(dice, 600),
        round_timeout_grace_seconds: dice.small(120),
        final_answer_strategy: dice.pick(&[
            FinalAnswer::WinnerPresent,
            FinalAnswer::WinnerPresent,
            FinalAnswer::WinnerReuse,
            FinalAnswer::Synthesize,
        ]),
        max_orchestration_restarts: dice.small(3),
        tokens: dice.one_in(8).then_some(150),
        ..CouncilRules::default()
    }
}
