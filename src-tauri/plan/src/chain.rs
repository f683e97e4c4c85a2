//! How much still depends on a step: what holds up the longest chain starts first.

use crate::{Plan, schedule};

/// For each step, how many steps the longest chain has that begins with it.
pub(crate) fn lengths(plan: &Plan) -> Vec<usize> {
    let count = plan.steps.len();
    let needs: Vec<Vec<usize>> = (0..count).map(|index| schedule::needs(plan, index)).collect();
    let mut open = vec![0_usize; count];
    for need in needs.iter().flatten() {
        open[*need] += 1;
    }
    // From the ends of the graph to its beginnings: a step is measured when all that need it are.
    let mut lengths = vec![1; count];
    let mut known: Vec<usize> = (0..count).filter(|&index| open[index] == 0).collect();
    while let Some(index) = known.pop() {
        for &need in &needs[index] {
            lengths[need] = lengths[need].max(lengths[index] + 1);
            open[need] -= 1;
            if open[need] == 0 {
                known.push(need);
            }
        }
    }
    lengths
}
