import { isDelta, wholeText } from "../tables/messages/delta.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { messageText } from "../../domain/transcript/last-text.ts"
import { previewOf } from "../../domain/text/preview.ts"
import type { Message } from "../../contracts/message.ts"
import type { EventType, SessionEvent } from "../../contracts/event.ts"
import type { Reader } from "../database/database.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import { eventTypeOf } from "../columns/event-type-code.ts"
import { toIso } from "../columns/iso-time.ts"
import { fromJson, fromJsonOrNull } from "../columns/json-column.ts"

/** Returns the data of an event that is stored only in its message; empty if the message was erased. */
const dataOfMessage = (type: EventType, message: Message | undefined): Readonly<Record<string, unknown>> => {
  if (isDelta(type)) return { text: message === undefined ? "" : wholeText(type, message), whole: true }
  if (type === "tool-calls-proposed") return { tool_calls: callsIn(message) }
  if (type === "tool-finished") return { preview: message === undefined ? "" : previewOf(messageText(message)) }
  return {}
}

const callsIn = (message: Message | undefined): readonly unknown[] =>
  toolCallsOf(message).map(({ id, name, arguments: args }) => ({ id, name, arguments: args ?? {} }))

export interface EventPage {
  readonly events: readonly SessionEvent[]
  readonly firstId: number
  readonly lastId: number
}

export const readEvents = async (
  db: Reader,
  sessionId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EventPage> => {
  const session = await db
    .selectFrom("sessions")
    .select(["num", "first_event", "next_event"])
    .where("id", "=", sessionId)
    .executeTakeFirst()
  if (session === undefined) return { events: [], firstId: 1, lastId: 0 }

  const rows = await selectEvents(db)
    .where("events.session_num", "=", session.num)
    .where("events.id", ">", after)
    .orderBy("events.id")
    .limit(limit)
    .execute()
  const events = rows.map((row) => toEvent(sessionId, row))
  // Events may have been appended between the two statements.
  const lastId = Math.max(session.next_event - 1, events.at(-1)?.id ?? 0)
  return { events, firstId: session.first_event, lastId }
}

export const selectEvents = (db: Reader) =>
  db
    .selectFrom("events")
    .innerJoin("run_ids", "run_ids.num", "events.run_num")
    .leftJoin("messages", (join) =>
      join
        .onRef("messages.session_num", "=", "events.session_num")
        .onRef("messages.seq", "=", "events.delta_seq")
        .on("events.compacted", "=", 1),
    )
    .select([
      "events.id",
      "events.type",
      "events.at",
      "events.data",
      "events.compacted",
      "run_ids.run_id",
      "messages.body",
    ])

type SelectedEvent = Pick<DatabaseSchema["events"], "id" | "type" | "at" | "data" | "compacted"> & {
  readonly run_id: string
  readonly body: string | null
}

export const toEvent = (sessionId: string, row: SelectedEvent): SessionEvent => {
  const type = eventTypeOf(row.type)
  const own = { id: row.id, type, session_id: sessionId, run_id: row.run_id, at: toIso(row.at) }
  const data = fromJsonOrNull<Record<string, unknown>>(row.data)
  if (row.compacted === 0) return { ...own, ...data, ...own }
  const message = row.body === null ? undefined : fromJson<Message>(row.body)
  return { ...own, ...data, ...dataOfMessage(type, message), ...own }
}
