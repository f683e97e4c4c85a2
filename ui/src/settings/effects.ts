// What a tool does to the world, and how far that goes without a question, in words.

import type { Json } from '../lib/backend'
import type { Effect, McpToolView } from '../lib/wire'
import { TEXT } from './words'

export const EFFECTS: Record<Effect, { words: string; usually: string }> = {
  read: { words: TEXT.effects.read, usually: TEXT.effects.allowed },
  control: { words: TEXT.effects.control, usually: TEXT.effects.allowed },
  write: { words: TEXT.effects.write, usually: TEXT.effects.strict },
  exec: { words: TEXT.effects.exec, usually: TEXT.effects.sandbox },
  delegate: { words: TEXT.effects.delegate, usually: TEXT.effects.limits },
  network: { words: TEXT.effects.network, usually: TEXT.effects.asks },
  write_outside: { words: TEXT.effects.writeOutside, usually: TEXT.effects.asks },
}

/** Where the effect of a server's tool comes from; `said` is what the person set for the server's tools. */
export function effectFrom(tool: McpToolView, trusted: boolean, said: Json): string {
  const name = tool.name.slice(tool.name.indexOf('.') + 1)
  if (tool.changed) return TEXT.effects.notIt
  if (said && typeof said === 'object' && !Array.isArray(said) && said[name] != null) return TEXT.effects.yours
  if (!trusted) return TEXT.effects.worst
  return tool.effect === 'write_outside' ? TEXT.effects.notSaid : TEXT.effects.server
}
