// What approving a plan allows, and what it will take, in words.

import type { Allows, Estimate, StepView } from '../lib/wire'
import { count, listed, money, tokens } from '../lib/words'
import { APPROVAL } from './words'

/** One sentence for all of it. */
export function allowsWords(allows: Allows, steps: StepView[]): string {
  // Who hands work on needs to name no target, and then is not counted among the tools.
  const handing = steps.filter((step) => step.tool === 'spawn_sidekick' && !step.target?.trim()).length
  const change = [allows.files && count(allows.files, 'file'), allows.patterns && APPROVAL.filesMatching(allows.patterns)]
  const written = allows.as_written && APPROVAL.asWritten(allows.as_written)
  const more = allows.with_more && APPROVAL.withMore(allows.with_more)
  const anywhere = allows.any_folder && APPROVAL.anyFolder(allows.any_folder)
  const run = [allows.commands && count(allows.commands, 'command'), more, anywhere, written, allows.checks && count(allows.checks, 'check')]
  const parts = [
    together(APPROVAL.change, change),
    together(APPROVAL.run, run),
    together(APPROVAL.reach, [allows.hosts && count(allows.hosts, 'host'), allows.host_patterns && APPROVAL.hostsMatching(allows.host_patterns)]),
    together(APPROVAL.use, [allows.tools && APPROVAL.otherTools(allows.tools)]),
    together(APPROVAL.delegate, [handing && count(handing, 'step')]),
    together(APPROVAL.changeAnything, [allows.free && count(allows.free, 'step')]),
  ].filter(Boolean)
  return parts.length === 0 ? APPROVAL.readsOnly : APPROVAL.allows(clauses(parts))
}

/** What a command does is not known before it runs. */
export function runsCommands(allows: Allows): boolean {
  return allows.commands + allows.with_more + allows.any_folder + allows.as_written + allows.checks > 0
}

/** `Estimate: 42k tokens, $0.13` */
export function estimateWords(estimate: Estimate): string {
  const all = tokens({ input: estimate.input_tokens, output: estimate.output_tokens, cache_read: 0, cost_micros: 0 })
  return APPROVAL.estimate(all, estimate.cost == null ? null : money(estimate.cost * 1_000_000))
}

function together(verb: string, what: (string | 0)[]): string {
  const named = what.filter((one): one is string => !!one)
  return named.length === 0 ? '' : `${verb} ${listed(named)}`
}

/** Where a part has an "and" of its own, a comma says which belong together. */
function clauses(parts: string[]): string {
  if (parts.length < 2 || !parts.some((part) => part.includes(' and '))) return listed(parts)
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
}
