// Whether the window has been on the screen: what only takes time before that waits for it.

class Seen {
  once = $state(!document.hidden)

  constructor() {
    if (this.once) return
    const look = () => {
      if (document.hidden) return
      this.once = true
      document.removeEventListener('visibilitychange', look)
    }
    document.addEventListener('visibilitychange', look)
  }
}

export const seen = new Seen()
