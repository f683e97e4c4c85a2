// What a call that asks would do, as a person reads it: the change of a file, the command, or the request.

import { lines, type Line } from '../kit/diff'
import type { AskView } from '../lib/wire'

export type Proposal =
  | { type: 'change'; path: string; lines: Line[]; /** Whether these are all lines of the file. */ whole: boolean; /** Whether every place is changed. */ all: boolean }
  | { type: 'command'; command: string; folder: string }
  | { type: 'request'; method: string; host: string; address: string; body: string }
  | { type: 'values'; values: { name: string; value: string }[] }

/** The call that waits, in one of these forms; null where nothing can be read of it. */
export function proposalOf(tool: string, args: string): Proposal | null {
  const values = object(args)
  if (!values) return null
  const said = (name: string) => (typeof values[name] === 'string' ? values[name] : null)
  const [path, old, next, content, command, url] = ['path', 'old', 'new', 'content', 'command', 'url'].map(said)
  if (tool === 'edit_file' && path != null && old != null && next != null) return { type: 'change', path, lines: lines(old, next), whole: false, all: values['all'] === true }
  if (tool === 'write_file' && path != null && content != null) return { type: 'change', path, lines: lines('', content), whole: true, all: false }
  if (tool === 'shell' && command != null) return { type: 'command', command, folder: said('cwd') ?? said('folder') ?? '' }
  if (url != null) return request(said('method') ?? 'GET', url, said('body') ?? '')
  const known = Object.entries(values).map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }))
  return known.length > 0 ? { type: 'values', values: known } : null
}

/** The same of what a question itself tells: an address to fetch, or what a tool is given. */
export function proposalIn(ask: AskView): Proposal | null {
  const said = (name: string) => ask.detail.find((detail) => detail.name === name && !detail.whole)?.value ?? ''
  const [tool, told] = [said('tool'), said('arguments')]
  return tool === 'fetch' && told ? request('GET', told, '') : proposalOf(tool, told)
}

function request(method: string, url: string, body: string): Proposal {
  let host = ''
  try {
    host = new URL(url).host
  } catch {
    // What is no address has no host.
  }
  return { type: 'request', method: method.toUpperCase(), host, address: url, body }
}

function object(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : null
  } catch {
    return null
  }
}
