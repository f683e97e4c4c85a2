import type { Plugin } from 'vite'

const ICON = /@lucide[\\/]svelte[\\/]dist[\\/]icons[\\/][\w-]+\.svelte$/
const DRAWING = /const iconData = (\{.*\});/

/**
 * Makes a plain drawing of each icon when the window is built. The library puts one together when
 * it is shown, which is a fifth of the work of drawing a room for the first time.
 */
export function staticIcons(): Plugin {
  return {
    name: 'static-icons',
    enforce: 'pre',
    transform(code, id) {
      if (!ICON.test(id)) return null
      const data = DRAWING.exec(code)?.[1]
      if (data === undefined) throw new Error(`${id} holds no drawing`)
      const icon = JSON.parse(data) as { size: number; node: [string, Record<string, string>][] }
      const parts = icon.node.map(([tag, attributes]) => `<${tag} ${written(attributes)} />`).join('')
      return `<script lang="ts">let { size = ${icon.size}, fill = "none" }: { size?: number; fill?: string } = $props()</script>
<svg width={size} height={size} viewBox="0 0 ${icon.size} ${icon.size}" {fill} stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${parts}</svg>`
    },
  }
}

function written(attributes: Record<string, string>): string {
  return Object.entries(attributes)
    .filter(([name]) => name !== 'key')
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')
}
