import type { Engine, EngineAccess } from "../../mcp/engine/engine-access.ts"
import { createStartWaitLimit } from "../../mcp/engine/start-wait-limit.ts"
import type { HostOptions } from "../program/cli-context.ts"
import type { SessionHost } from "../host/session-host.ts"
import { bringingClient } from "./bringing-client.ts"

/** Opens a host; `onProgress` and `signal` are passed on. */
export type OpenClientHost = (options: Pick<HostOptions, "onProgress" | "signal">) => Promise<SessionHost>

/** The engine of `adjutant mcp`: server and store, opened when they are first needed, with the service that does the work. */
export interface LazyEngine extends EngineAccess {
  /** Ends a start that is under way, and closes what is open. */
  close(): Promise<void>
}

/** Creates the engine. `startWaitMs`: how long a call waits for a start if its client accepts no progress. */
export const createLazyEngine = (openHost: OpenClientHost, startWaitMs: number): LazyEngine => {
  const closing = new AbortController()
  const listeners = new Set<(line: string) => void>()
  let host: SessionHost | undefined
  let engine: Engine | undefined
  let starting: Promise<Engine> | undefined
  let line: string | undefined

  const onProgress = (text: string): void => {
    line = text
    for (const listener of listeners) listener(text)
  }
  const start = async (): Promise<Engine> => {
    const opened = await openHost({ onProgress, signal: closing.signal })
    try {
      closing.signal.throwIfAborted()
      await opened.handOver(null)
    } catch (error) {
      await opened.close().catch(() => undefined)
      throw error
    }
    host = opened
    engine = { client: bringingClient(opened), store: opened.store }
    return engine
  }
  return {
    current: () => engine,
    open: async () => {
      if (engine !== undefined) return engine
      // A start that failed is not kept: the next call tries again.
      starting ??= start().finally(() => {
        starting = undefined
        line = undefined
      })
      return await starting
    },
    progress: () => line,
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    waitLimit: createStartWaitLimit(startWaitMs),
    close: async () => {
      closing.abort(new Error("the client has disconnected"))
      await starting?.catch(() => undefined)
      engine = undefined
      await host?.close()
    },
  }
}
