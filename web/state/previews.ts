import { pausedCallsOf } from "./event-fields.ts"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { SessionEvent } from "../../contracts/event.ts"

export type Previews = ReadonlyMap<string, CallPreview>

/** Names a call: its id alone is unique within one answer only. */
export const previewKey = (seq: number, callId: string): string => `${seq}.${callId}`

/** Returns the previews that were made when calls paused, by call. */
export const previewsOf = (events: readonly SessionEvent[]): Previews => {
  const found = new Map<string, CallPreview>()
  let proposedSeq = 0
  for (const event of events) {
    if (event.type === "tool-calls-proposed") proposedSeq = Number(event["seq"])
    if (event.type !== "run-paused") continue
    for (const { id, preview } of pausedCallsOf(event)) found.set(previewKey(proposedSeq, id), preview)
  }
  return found
}
