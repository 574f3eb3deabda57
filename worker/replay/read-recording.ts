import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { AssistantMessage, Message } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { requireSession } from "../../sessions/rows/require-session.ts"
import type { MessageRow, SessionRow, Store } from "../../store/store.ts"

/** One model turn of a recorded session. */
export interface RecordedTurn {
  /** Its number in the session, counted from 1 over all runs, as `fork --at-step` counts. */
  readonly step: number
  readonly runId: string
  /** Its place in the list of rows: the rows before it are the messages of its request. */
  readonly index: number
  readonly answer: AssistantMessage
}

/** What the store knows of a session's model calls. Reading it writes nothing. */
export interface Recording {
  readonly session: SessionRow
  readonly rows: readonly (MessageRow & { readonly message: Message })[]
  readonly turns: readonly RecordedTurn[]
  /** Returns the settings of a run of the session. */
  readonly settingsOf: (runId: string) => RunSnapshot
}

type RecordingStore = Pick<Store, "sessions" | "runs" | "snapshots" | "messages">

/** A fork has rows of another session's runs: the settings of its own latest run apply to them. */
const readSettings = async (store: RecordingStore, session: SessionRow, runIds: readonly string[]) => {
  const latest = await store.runs.latest(session.id)
  const found = new Map<string, RunSnapshot>()
  for (const runId of runIds) {
    const hash = ((await store.runs.get(runId)) ?? latest)?.snapshotHash
    const snapshot = hash === undefined ? undefined : await store.snapshots.get(hash)
    if (snapshot !== undefined) found.set(runId, snapshot)
  }
  return (runId: string): RunSnapshot => {
    const snapshot = found.get(runId)
    if (snapshot !== undefined) return snapshot
    throw new AdjutantError("storage_failed", `the settings of run ${runId} are missing: choose another task`)
  }
}

/** Reads the model calls of a session. @throws AdjutantError `invalid_argument` if there are none */
export const readRecording = async (store: RecordingStore, sessionId: string): Promise<Recording> => {
  const session = await requireSession(store, sessionId)
  const rows = await store.messages.read(sessionId, { headSeq: session.headSeq })
  const turns = rows.flatMap(({ runId, message }, index) =>
    message.role === "assistant" ? [{ runId, index, answer: message }] : [],
  )
  if (turns.length === 0)
    throw new AdjutantError("invalid_argument", `task ${sessionId} has no model call: choose a task of an LLM agent`)
  const settingsOf = await readSettings(store, session, [...new Set(turns.map(({ runId }) => runId))])
  return { session, rows, turns: turns.map((turn, index) => ({ ...turn, step: index + 1 })), settingsOf }
}
