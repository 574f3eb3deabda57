import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { Engine, EngineAccess } from "./engine-access.ts"
import { engineStarting, engineUnavailable } from "./engine-not-ready.ts"

/** Who waits. */
export interface EngineWait {
  readonly signal: AbortSignal
  /** Where the client asked for progress. */
  readonly progress: ((message: string) => void) | undefined
  /** True where the client gave the call up, rather than gone away. */
  isGivenUp(): boolean
}

/** Clients that reset their limit with each word of progress do so within a minute. */
const heartbeatMs = 15_000

/**
 * The engine, started by the first who needs it. Who waits is told what the start is at; a client that hears nothing waits for a limited time.
 * Throws `EngineNotReady`, and the signal's reason when the call is given up.
 */
export const awaitEngine = async (access: EngineAccess, wait: EngineWait): Promise<Engine> => {
  const ready = access.current()
  if (ready !== undefined) return ready
  const tell = wait.progress
  const unfollow = tell === undefined ? undefined : access.follow(tell)
  const heartbeat = setInterval(() => tell?.(access.progress() ?? "starting the Temporal server"), heartbeatMs)
  const cut = cutShort(access, wait)
  try {
    return await Promise.race([access.open().catch(refuse), cut.short])
  } finally {
    clearInterval(heartbeat)
    cut.end()
    unfollow?.()
  }
}

const refuse = (error: unknown): never => {
  throw isAdjutantError(error) ? engineUnavailable(error) : error
}

/** Rejects when the call is given up, or its time is over. */
const cutShort = ({ patience, progress }: EngineAccess, { signal, progress: tell, isGivenUp }: EngineWait) => {
  const { promise: short, reject } = Promise.withResolvers<never>()
  short.catch(() => undefined)
  const startedAt = performance.now()
  const abort = (): void => {
    // At once: the client's next call may be here already.
    if (isGivenUp()) patience.gaveUp(performance.now() - startedAt)
    reject(signal.reason)
  }
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  const limitMs = patience.limitMs({ hearsProgress: tell !== undefined })
  const timer = limitMs === undefined ? undefined : setTimeout(() => reject(engineStarting(progress())), limitMs)
  return {
    short,
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
    },
  }
}
