import { createHash } from "node:crypto"
import type { Logger } from "pino"
import type { SessionEvent } from "../../contracts/event.ts"
import { type IdOf, spansOfRun } from "../../domain/trace/run-spans.ts"
import type { Store } from "../../store/store.ts"
import type { ExportSpans } from "./otlp-exporter.ts"

/** Exports the spans of runs that have ended. */
export interface Tracer {
  /** Exports a run in the background. A failure is logged, and affects nothing else. */
  readonly trace: (sessionId: string, runId: string) => void
  /** Waits for what is being exported. */
  readonly close: () => Promise<void>
}

type TracedStore = Pick<Store, "sessions" | "events">

const idOf: IdOf = (text, digits) => createHash("sha256").update(text).digest("hex").slice(0, digits)

const eventsPerPage = 1_000

const eventsOf = async (store: TracedStore, sessionId: string): Promise<readonly SessionEvent[]> => {
  const found: SessionEvent[] = []
  for (let after = 0; ;) {
    const { events } = await store.events.read(sessionId, { after, limit: eventsPerPage })
    found.push(...events.filter(({ type }) => type !== "text-delta" && type !== "reasoning-delta"))
    const last = events.at(-1)
    if (last === undefined || events.length < eventsPerPage) return found
    after = last.id
  }
}

/** Returns the run that started a run of a sub-agent; undefined if its session has no parent. */
const parentRunOf = async (store: TracedStore, sessionId: string): Promise<readonly [string, string] | undefined> => {
  const parentId = (await store.sessions.get(sessionId))?.parentId ?? undefined
  if (parentId === undefined) return undefined
  const started = (await eventsOf(store, parentId)).findLast(
    (event) => event.type === "child-started" && event["child_session_id"] === sessionId,
  )
  // Its event follows with the next activity of the parent, which then has the run that started it.
  const runId = started?.run_id ?? (await store.sessions.get(parentId))?.runId ?? undefined
  return runId === undefined ? undefined : [parentId, runId]
}

const exportRun = async (
  store: TracedStore,
  exportSpans: ExportSpans,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<void> => {
  const session = await store.sessions.get(sessionId)
  if (session === undefined) return
  const parent = await parentRunOf(store, sessionId)
  let rootRunId = runId
  for (let above = parent; above !== undefined; above = await parentRunOf(store, above[0])) rootRunId = above[1]
  const { agent, model } = session
  const events = await eventsOf(store, sessionId)
  const spans = spansOfRun({ sessionId, runId, agent, model, rootRunId, parentRunId: parent?.[1], events }, idOf)
  if (spans.length > 0) await exportSpans(spans)
}

/** Creates the tracer of a worker. The ids of spans follow from the runs: an attempt that is repeated exports the same ones. */
export const createTracer = (store: TracedStore, exportSpans: ExportSpans, logger: Pick<Logger, "warn">): Tracer => {
  const pending = new Set<Promise<void>>()
  return {
    trace: (sessionId, runId) => {
      const work = exportRun(store, exportSpans, { sessionId, runId })
        .catch((error: unknown) => logger.warn({ err: error, session_id: sessionId }, "a trace could not be exported"))
        .finally(() => pending.delete(work))
      pending.add(work)
    },
    close: async () => void (await Promise.all(pending)),
  }
}
