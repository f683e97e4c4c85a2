// Folders as a person reads them: what is below their home begins with `~`.

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
