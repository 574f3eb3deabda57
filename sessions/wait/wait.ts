import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { settledDocument } from "../outcome/outcome.ts"
import { tryRefresh } from "../reconcile/reconcile-session.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { setTimeout as delay } from "node:timers/promises"
import type { EventType } from "../../contracts/event.ts"

const stopEvents: ReadonlySet<EventType> = new Set(["run-paused", "run-finished", "child-finished"])

/** The events by which a session, or one below it, stops: it pauses or ends. */
interface Stops {
  /** Resolves to true at the next stop, or to false after the timeout. A stop since the last call counts. */
  next(timeoutMs: number): Promise<boolean>
}

/** Follows a session's event log from now on, until the signal fires. If the log cannot be followed, every wait times out. */
const followStops = async (context: SessionsContext, sessionId: string, signal: AbortSignal): Promise<Stops> => {
  const { events } = context.store
  const { lastId } = await events.read(sessionId, { after: 0, limit: 1 })
  let nextStop = Promise.withResolvers<void>()
  const follow = async (): Promise<void> => {
    try {
      for await (const event of events.follow(sessionId, { after: lastId, signal }))
        if (stopEvents.has(event.type)) nextStop.resolve()
    } catch (error) {
      if (!signal.aborted)
        context.logger.warn(
          { session_id: sessionId, error },
          "the event log cannot be followed; checking at intervals instead",
        )
    }
  }
  void follow()
  return {
    next: async (timeoutMs) => {
      const timer = new AbortController()
      const timeout = delay(timeoutMs, false, { signal: AbortSignal.any([timer.signal, signal]) }).catch(() => false)
      const hasStopped = await Promise.race([nextStop.promise.then(() => true), timeout])
      timer.abort()
      if (hasStopped) nextStop = Promise.withResolvers<void>()
      return hasStopped
    },
  }
}

/** The record of an outcome may follow its event after a moment. */
const afterEventMs = 50
/** Number of descendants that are checked in one round, so that terminated ones are also detected. */
const maxChecksPerRound = 20

/**
 * Creates a check that asks the engine at intervals, to detect executions that ended without recording their outcome. Tolerates short outages of the engine.
 */
const createEngineWatch = (context: SessionsContext) => {
  const { timing } = context
  let nextAskAt = 0
  let lastAnswerAt = Date.now()
  const ask = async (row: SessionRow): Promise<void> => {
    const { away } = await tryRefresh(context, row)
    if (away === undefined) lastAnswerAt = Date.now()
    else if (Date.now() - lastAnswerAt >= timing.outageToleranceMs) throw away
  }
  return async (row: SessionRow): Promise<void> => {
    if (Date.now() < nextAskAt) return
    await ask(row)
    const open = (await descendantsOf(context.store, row)).filter((other) => !isFinal(other.status))
    for (const child of open.slice(0, maxChecksPerRound)) await ask(child)
    nextAskAt = Date.now() + timing.checkIntervalMs
  }
}

/** Rejects if no worker can be started for the session. */
const withoutWorker = ({ requireWorker }: SessionsContext): Promise<never> =>
  new Promise<never>((_, reject) => void requireWorker?.().catch(reject))

/**
 * Waits until the session, and everything in its tree that can progress, is final or paused. Returns undefined after the timeout; nothing is cancelled.
 * @throws AdjutantError `session_not_found`; `temporal_unavailable` if the engine remains unavailable; the signal's reason when it fires
 */
export const wait = async (
  context: SessionsContext,
  sessionId: string,
  options: { readonly timeoutSeconds?: number; readonly signal?: AbortSignal } = {},
): Promise<OutcomeDocument | undefined> => {
  const { timeoutSeconds, signal } = options
  const until = timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutSeconds * 1_000
  await requireSession(context.store, sessionId)
  const stop = new AbortController()
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  try {
    const stops = await followStops(context, sessionId, stopped)
    const askEngine = createEngineWatch(context)
    let unable: Promise<never> | undefined
    for (let hasStopped = false; ;) {
      signal?.throwIfAborted()
      await askEngine(await requireSession(context.store, sessionId))
      const document = await settledDocument(context, await requireSession(context.store, sessionId))
      if (document !== undefined) return document
      const left = until - Date.now()
      if (left <= 0) return undefined
      unable ??= withoutWorker(context)
      const waitMs = Math.min(hasStopped ? afterEventMs : context.timing.checkIntervalMs, left)
      hasStopped = await Promise.race([unable, stops.next(waitMs)])
    }
  } finally {
    stop.abort()
  }
}
