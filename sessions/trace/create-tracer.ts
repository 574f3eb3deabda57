import { createHash } from "node:crypto"
import type { StoreLogger } from "../../store/database/database.ts"
import type { SessionEvent } from "../../contracts/event.ts"
import { spanOfDelivery, spansOfRun, type TraceOrigin } from "../../domain/trace/run-spans.ts"
import type { IdOf, Span } from "../../domain/trace/span.ts"
import type { SpanContents } from "../../domain/trace/span-contents.ts"
import { parseTraceparent } from "../../domain/trace/trace-context.ts"
import type { DeliveryRow, SessionRow, Store } from "../../store/store.ts"
import type { Tracer } from "../tracer.ts"
import type { ExportSpans } from "./span-exporter.ts"

type TracedStore = Pick<Store, "sessions" | "events" | "runs" | "messages" | "deliveries">

export interface TracerOptions {
  readonly exportSpans: ExportSpans
  /** Adds the texts of runs; absent: they stay out of spans. */
  readonly contents?: SpanContents | undefined
  readonly logger: StoreLogger
}

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

/** Returns the trace of a run. A `traceparent` belongs to the request that created the task, and so to its first run. */
const originOf = async (store: TracedStore, session: SessionRow, runId: string): Promise<TraceOrigin> => {
  const parent = await parentRunOf(store, session.id)
  let root: readonly [string, string] = [session.id, runId]
  for (let above = parent; above !== undefined; above = await parentRunOf(store, above[0])) root = above
  const [rootId, rootRunId] = root
  const context = parseTraceparent((await store.sessions.get(rootId))?.internal["traceparent"])
  const isFirst = context !== undefined && (await store.runs.list(rootId))[0]?.runId === rootRunId
  return { rootRunId, parentRunId: parent?.[1], context: isFirst ? context : undefined }
}

const runSpans = async (
  store: TracedStore,
  contents: SpanContents | undefined,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<readonly Span[]> => {
  const session = await store.sessions.get(sessionId)
  if (session === undefined) return []
  const origin = await originOf(store, session, runId)
  if (origin.context?.isSampled === false) return []
  const { agent, model, headSeq } = session
  const run = await store.runs.get(runId)
  const requestedMs = Date.parse(run?.createdAt ?? session.createdAt)
  const rows = (await store.messages.read(sessionId, { headSeq })).filter((row) => row.runId === runId)
  const events = await eventsOf(store, sessionId)
  return spansOfRun({ sessionId, runId, agent, model, ...origin, requestedMs, events, rows, contents }, idOf)
}

const deliverySpans = async (store: TracedStore, key: string): Promise<readonly Span[]> => {
  const row: DeliveryRow | undefined = await store.deliveries.get(key)
  const session = row === undefined ? undefined : await store.sessions.get(row.sessionId)
  if (row === undefined || session === undefined) return []
  const origin = await originOf(store, session, row.runId)
  if (origin.context?.isSampled === false) return []
  const { runId, kind, event, attempts, createdAt, updatedAt, status } = row
  const times = { createdMs: Date.parse(createdAt), endedMs: Date.parse(updatedAt) }
  const isDelivered = status === "delivered"
  return [spanOfDelivery({ ...origin, key, runId, kind, event, attempts, ...times, isDelivered }, idOf)]
}

/** Creates the tracer of a worker. The ids of spans follow from the runs: an attempt that is repeated exports the same ones. */
export const createTracer = (store: TracedStore, { exportSpans, contents, logger }: TracerOptions): Tracer => {
  const pending = new Set<Promise<void>>()
  const inBackground = (read: () => Promise<readonly Span[]>, what: Readonly<Record<string, string>>): void => {
    const send = async (): Promise<void> => {
      const spans = await read()
      if (spans.length > 0) await exportSpans(spans)
    }
    const work = send()
      .catch((error: unknown) => logger.warn({ err: error, ...what }, "a trace could not be exported"))
      .finally(() => pending.delete(work))
    pending.add(work)
  }
  return {
    trace: (sessionId, runId) =>
      inBackground(() => runSpans(store, contents, { sessionId, runId }), { session_id: sessionId }),
    traceDelivery: (key) => inBackground(() => deliverySpans(store, key), { delivery: key }),
    close: async () => void (await Promise.all(pending)),
  }
}
