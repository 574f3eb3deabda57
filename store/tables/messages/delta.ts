import type { EventType } from "../../../contracts/event.ts"
import type { Message } from "../../../contracts/message.ts"

export type DeltaType = Extract<EventType, "text-delta" | "reasoning-delta">

export const deltaTypes = ["text-delta", "reasoning-delta"] as const satisfies readonly DeltaType[]

export const isDelta = (type: EventType): type is DeltaType => type === "text-delta" || type === "reasoning-delta"

/** Returns the text of all deltas of a type, from their message. */
export const wholeText = (type: DeltaType, message: Message): string => {
  if (message.role !== "assistant") return ""
  const part = type === "text-delta" ? "text" : "reasoning"
  return message.parts.map((candidate) => (candidate.type === part ? candidate.text : "")).join("")
}
