import { countedTokens } from "../../../domain/limits/usage-totals.ts"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { SessionRow, Store } from "../../../store/store.ts"
import type { PauseHistory, SessionHistory } from "./history.ts"

type Read = Pick<Store, "sessions" | "runs" | "messages" | "events" | "pauses" | "usage">

/** Returns the status of a session's last execution; `unknown` if the engine has none. */
export type AskEngine = (sessionId: string) => Promise<string>

const readEvents = async ({ events: log }: Read, sessionId: string): Promise<readonly SessionEvent[]> => {
  const all: SessionEvent[] = []
  for (;;) {
    const { events } = await log.read(sessionId, { after: all.at(-1)?.id ?? 0, limit: 500 })
    all.push(...events)
    if (events.length < 500) return all
  }
}

/** What ends a run whose workflow could not record it. */
const lostReasons: ReadonlySet<string | null> = new Set(["terminated", "error"])

const readPauses = async ({ pauses }: Read, { id, rootId }: SessionRow): Promise<readonly PauseHistory[]> =>
  (await pauses.ofTree(rootId))
    .filter(({ sessionId }) => sessionId === id)
    .map(({ checkpointId, runId, closedAt }) => ({ checkpointId, runId, isClosed: closedAt !== null }))

const readRuns = async ({ runs }: Read, { id, internal }: SessionRow): Promise<SessionHistory["runs"]> => {
  const all = await runs.list(id)
  const first = Math.min(...all.map(({ number }) => number))
  return all.map(({ runId, status, stopReason, spending, reopened, number }) => ({
    runId,
    status,
    reopened,
    childrenTokens: spending?.childrenTokens ?? null,
    isLost: lostReasons.has(stopReason),
    isCopied: number === first && internal["forked_from"] !== undefined,
  }))
}

const readSession = async (store: Read, row: SessionRow, engine: AskEngine): Promise<SessionHistory> => ({
  id: row.id,
  parentId: row.parentId,
  status: row.status,
  runId: row.runId,
  runs: await readRuns(store, row),
  rows: (await store.messages.read(row.id, { headSeq: row.headSeq })).map(({ seq, runId, message }) => ({
    seq,
    runId,
    message,
  })),
  events: await readEvents(store, row.id),
  pauses: await readPauses(store, row),
  tokens: countedTokens(await store.usage.total({ sessionId: row.id })),
  engine: await engine(row.id),
  staysOpen: false,
})

/** Reads these sessions and everything below them, from the store and the engine. */
export const readSessions = async (
  store: Read,
  engine: AskEngine,
  sessionIds: readonly string[],
): Promise<readonly SessionHistory[]> => {
  const read: SessionHistory[] = []
  const left = [...sessionIds]
  for (let id = left.shift(); id !== undefined; id = left.shift()) {
    const row = await store.sessions.get(id)
    if (row === undefined) continue
    read.push(await readSession(store, row, engine))
    const { items } = await store.sessions.list({ parentId: id, includeArchived: true, limit: 1_000 })
    left.push(...items.map((child) => child.id))
  }
  return read
}
