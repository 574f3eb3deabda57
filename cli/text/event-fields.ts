import type { SessionEvent } from "../../contracts/event.ts"
import { countText } from "../../domain/text/figures.ts"

/** Returns a text field of an event; empty if it is missing, so that nothing is shown. */
export const eventTextField = (event: SessionEvent, name: string): string => {
  const value = event[name]
  return typeof value === "string" ? value : ""
}

export const numberField = (event: SessionEvent, name: string): number | undefined => {
  const value = event[name]
  return typeof value === "number" ? value : undefined
}

export interface EventCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Returns the calls of a `tool-calls-proposed` event. */
export const proposedCalls = (event: SessionEvent): readonly EventCall[] => {
  const calls: readonly unknown[] = Array.isArray(event["tool_calls"]) ? event["tool_calls"] : []
  return calls.flatMap((call) => {
    if (typeof call !== "object" || call === null) return []
    const fields: Readonly<Record<string, unknown>> = { ...call }
    const { id, name, arguments: args } = fields
    if (typeof id !== "string" || typeof name !== "string") return []
    return [{ id, name, arguments: typeof args === "object" && args !== null ? { ...args } : {} }]
  })
}

/** Returns what a `context-compacted` event reports, in one line. */
export const compactedText = (event: SessionEvent): string => {
  const tokens = (name: string): string => countText(numberField(event, name) ?? 0)
  const what = event["kind"] === "summary" ? "a summary replaces the earlier part" : "long results became references"
  return `the context was shortened from about ${tokens("tokens_before")} to ${tokens("tokens_after")} tokens: ${what}`
}
