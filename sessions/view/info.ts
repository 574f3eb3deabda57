import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { inspectSession } from "../engine/inspect-session.ts"
import { requireSession } from "../rows/require-session.ts"
import { sessionDetail } from "./session-detail.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { InboxRow, MessageRow, RunRow, SessionRow, Store } from "../../store/store.ts"

type Queued = SessionDetail["queued_messages"][number]

const queuedType = ({ source }: InboxRow): Queued["type"] | undefined =>
  source === "steering" || source === "follow_up" ? source : undefined

/** Returns since when messages can still be queued: a cancellation discards what was. */
const queuedSince = (runs: readonly RunRow[], row: SessionRow): string =>
  runs.findLast(({ status, stopReason }) => status === "cancelled" || stopReason === "terminated")?.finishedAt ??
  row.createdAt

/** Returns whether a row of the transcript is that of a text, which can have other lines around it. */
const isRowOf =
  ({ source, text, at }: InboxRow) =>
  (row: MessageRow): boolean =>
    row.message.role === "user" && row.message.source === source && row.at >= at && row.message.text.includes(text)

/** Returns the texts that have no row in the transcript. Of equal ones, each row is that of the oldest. */
const withoutRow = (texts: readonly InboxRow[], rows: readonly MessageRow[]): readonly InboxRow[] => {
  const left = [...rows]
  return texts.filter((text) => {
    const at = left.findIndex(isRowOf(text))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

interface QueueContext {
  readonly store: Pick<Store, "inbox" | "messages" | "runs">
  readonly redact: Redact
}

/** Returns what was sent to a session at work and has no place in its transcript yet, oldest first. */
const queuedMessages = async (
  { store: { inbox, messages, runs }, redact }: QueueContext,
  row: SessionRow,
): Promise<readonly Queued[]> => {
  if (isFinal(row.status) || row.runId === null) return []
  const texts = (await inbox.since(row.id, queuedSince(await runs.list(row.id), row))).filter(
    (text) => queuedType(text) !== undefined,
  )
  const [first] = texts
  if (first === undefined) return []
  return withoutRow(texts, await messages.since(row.id, first.at)).flatMap((text) => {
    const type = queuedType(text)
    return type === undefined ? [] : [{ id: text.id, type, text: redact(text.text), at: text.at }]
  })
}

/** Returns a session, after asking the engine whether it is still running, and with the messages that it has not read yet. Writes nothing. */
export const info = async (context: SessionsContext, sessionId: string): Promise<SessionDetail> => {
  const { row, ...engine } = await inspectSession(context, await requireSession(context.store, sessionId))
  const detail = await sessionDetail(context, row, engine)
  return { ...detail, queued_messages: [...(await queuedMessages(context, row))] }
}
