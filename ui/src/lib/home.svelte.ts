// Folders as a person reads and writes them: what is below their home begins with `~`.

import { TEXT } from './text'

let home = $state('')

/** Where the home folder is; empty when that is not known. */
export function setHome(path: string): void {
  home = path.replace(/[\\/]+$/, '')
}

/** `~/code/gateway` for a folder below the home, else the path as it is. */
export function folder(path: string): string {
  if (home === '' || !path.startsWith(home)) return path
  const rest = path.slice(home.length)
  return rest === '' || /^[\\/]/.test(rest) ? `~${rest}` : path
}

/** The whole path of a folder as a person typed it: `~/code/` is `/home/you/code`. */
export function whole(typed: string): string {
  const path = typed.trim().replace(/(?<=[^:\\/])[\\/]+$/, '')
  return home !== '' && /^~(?=[\\/]|$)/.test(path) ? home + path.slice(1) : path
}

/** Why what was typed can't be a folder, in words; empty when it may be one. */
export function notAFolder(typed: string): string {
  const path = whole(typed)
  if (path === '' || /^([\\/]|[a-z]:[\\/])/i.test(path)) return ''
  if (path.startsWith('~')) return TEXT.shared.ownHome
  return TEXT.shared.whole(home || '/home/you')
}
