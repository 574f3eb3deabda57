import type { AdjutantClient } from "../client/create-client.ts"
import type { Store } from "../store/store.ts"

/** What the tools use. */
export interface Engine {
  readonly client: AdjutantClient
  readonly store: Pick<Store, "sessions" | "events" | "pauses">
}

/** Access to the engine, which may not run yet when the MCP server does. */
export interface EngineAccess {
  /** Returns the engine if it is open; starts nothing. */
  current(): Engine | undefined
  /** Waits for the engine, which another process or part starts. */
  open(): Promise<Engine>
  /** The latest line of progress of a start that is under way. */
  progress(): string | undefined
  /** Calls the listener with each line of progress; returns a function that removes it. */
  follow(listener: (line: string) => void): () => void
}

/** Returns access to an engine that is already open. */
export const openedEngine = ({ client, store }: Engine): EngineAccess => {
  const engine = { client, store }
  return {
    current: () => engine,
    open: async () => engine,
    progress: () => undefined,
    follow: () => () => undefined,
  }
}
