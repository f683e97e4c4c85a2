// What a tool does to the world, and how far that goes without a question, in words.

import type { Json } from '../lib/backend'
import type { Effect, McpToolView } from '../lib/wire'

export const EFFECTS: Record<Effect, { words: string; usually: string }> = {
  read: { words: 'Only looks', usually: 'allowed' },
  control: { words: 'Talks to you', usually: 'allowed' },
  write: { words: 'Changes files here', usually: 'allowed; in strict mode only as approved' },
  exec: { words: 'Runs programs', usually: 'allowed in the sandbox; in strict mode only as approved' },
  delegate: { words: 'Hands on work', usually: 'allowed within the limits' },
  network: { words: 'Leaves this computer', usually: 'asked about' },
  write_outside: { words: 'May change anything', usually: 'asked about' },
}

/** Where the effect of a server's tool comes from; `said` is what the person set for the server's tools. */
export function effectFrom(tool: McpToolView, trusted: boolean, said: Json): string {
  const name = tool.name.slice(tool.name.indexOf('.') + 1)
  if (tool.changed) return 'It is not the one you allowed'
  if (said && typeof said === 'object' && !Array.isArray(said) && said[name] != null) return 'Your own word, in the configuration'
  if (!trusted) return 'The server is not trusted, so the worst is assumed'
  return tool.effect === 'write_outside' ? 'The server does not say that it only looks' : 'The server’s own word, which you trust'
}
