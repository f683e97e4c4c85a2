// How the MCP servers stand. Nothing tells when that changes, so it is asked for while it is on screen.

import type { Backend } from '../lib/backend'
import type { McpServerView } from '../lib/wire'

const EVERY_MS = 2000

export class ServerStates {
  list = $state.raw<McpServerView[]>([])
  #backend: Backend

  constructor(backend: Backend) {
    this.#backend = backend
  }

  of(name: string): McpServerView | undefined {
    return this.list.find((server) => server.name === name)
  }

  said = (name: string): Promise<string> => this.#backend.mcpSaid(name)

  login = async (name: string): Promise<void> => {
    await this.#backend.mcpLogin(name)
  }

  logout = async (name: string): Promise<void> => {
    await this.#backend.mcpLogout(name)
    await this.look()
  }

  look = async (): Promise<void> => {
    try {
      this.list = await this.#backend.mcpServers()
    } catch {
      // What was seen last stays.
    }
  }

  /** Looks now and again, until what it gives back is called. */
  watch(): () => void {
    void this.look()
    const timer = setInterval(() => !document.hidden && void this.look(), EVERY_MS)
    return () => clearInterval(timer)
  }
}
