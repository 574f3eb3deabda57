import type { AdjutantClient } from "../../client/adjutant-client.ts"
import type { Store } from "../../store/store.ts"
import { createStartPatience, type StartPatience } from "./start-patience.ts"

/** What the tools work on. */
export interface Engine {
  readonly client: AdjutantClient
  readonly store: Store
}

/** The engine, which may not run yet when the server of MCP does. */
export interface EngineAccess {
  /** The engine where it is open; nothing is started. */
  current(): Engine | undefined
  /** Starts the engine where nobody has, and waits for it. Rejects when that start fails; the next call starts it again. */
  open(): Promise<Engine>
  /** What a start is at, in one line. */
  progress(): string | undefined
  /** Calls the listener with each such line; the answer ends that. */
  follow(listener: (line: string) => void): () => void
  readonly patience: StartPatience
}

/** An engine that is open. */
export const openedEngine = ({ client, store }: Engine): EngineAccess => {
  const engine = { client, store }
  return {
    current: () => engine,
    open: async () => engine,
    progress: () => undefined,
    follow: () => () => undefined,
    patience: createStartPatience(0),
  }
}
