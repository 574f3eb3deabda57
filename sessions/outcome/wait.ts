import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { followEndings } from "./follow-endings.ts"
import { settledDocument } from "./outcome.ts"
import { tryRefresh } from "../reconcile/refresh-session.ts"
import { requireSession } from "../view/require-session.ts"
import { descendantsOf } from "../view/session-tree.ts"

/** The record of an ending may follow its event by a moment. */
const afterEventMs = 50
/** A child that was terminated is noticed, too; of a large tree only so many are asked for at a time. */
const maxAskedPerRound = 20

/** Asks the engine now and then, so that an execution that ended without recording its outcome is noticed; outlasts a short absence of the engine. */
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
    for (const child of open.slice(0, maxAskedPerRound)) await ask(child)
    nextAskAt = Date.now() + timing.checkIntervalMs
  }
}

/**
 * Until the session, with all that can still move in its tree, is final or paused. `undefined` when the time is over: nothing is cancelled.
 * @throws AdjutantError `session_not_found`; `temporal_unavailable` when the engine stays away; the signal's reason when it fires
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
    const endings = await followEndings(context, sessionId, stopped)
    const askEngine = createEngineWatch(context)
    for (let hasEnded = false; ;) {
      signal?.throwIfAborted()
      await askEngine(await requireSession(context.store, sessionId))
      const document = await settledDocument(context, await requireSession(context.store, sessionId))
      if (document !== undefined) return document
      const left = until - Date.now()
      if (left <= 0) return undefined
      hasEnded = await endings.next(Math.min(hasEnded ? afterEventMs : context.timing.checkIntervalMs, left))
    }
  } finally {
    stop.abort()
  }
}
