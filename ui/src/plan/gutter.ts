// WebKit gives a scroll bar a strip of its own. Rows that are coloured from edge to edge go on below it.

const COLOURS = { '.step.now': 'var(--accent-bg)', '.step.failed': 'var(--bad-bg)' }

/** Paints the strip beside these rows of a list that scrolls. */
export function paintGutter(scroller: HTMLElement): void {
  const { top } = scroller.getBoundingClientRect()
  const scrolls = scroller.offsetWidth > scroller.clientWidth
  const bands = Object.entries(COLOURS).flatMap(([kind, colour]) =>
    [...(scrolls ? scroller.querySelectorAll(kind) : [])].map((row) => {
      const place = row.getBoundingClientRect()
      return `linear-gradient(${colour} 0 0) 0 ${place.top - top}px / 100% ${place.height}px no-repeat`
    }),
  )
  scroller.style.background = bands.join(', ')
}
