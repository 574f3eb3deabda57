import type { SessionEvent } from "../../contracts/event.ts"
import { callHeadline } from "./call-text.ts"
import { oneLine } from "./plain-text.ts"

/** What happened when, one line per event that changed something, times from the first event on. */
export const timelineText = (events: readonly SessionEvent[]): string => {
  const startMs = Date.parse(events[0]?.at ?? "")
  return events
    .flatMap((event) => {
      const text = eventText(event)
      if (text === undefined) return []
      return [`${`+${((Date.parse(event.at) - startMs) / 1000).toFixed(1)}s`.padStart(8)}  ${text}`]
    })
    .join("\n")
}

const eventText = (event: SessionEvent): string | undefined => {
  switch (event.type) {
    case "run-started":
      return "run started"
    case "tool-calls-proposed":
      return `the model proposed ${proposedNames(event)}`
    case "run-paused":
      return "paused: a person has to decide"
    case "decision-recorded":
      return `decided by ${oneLine(textOf(event["by"]) || "someone", 40)} (${oneLine(textOf(event["via"]), 40)})`
    case "tool-finished":
      return `${callHeadline(textOf(event["name"]), undefined)} → ${textOf(event["outcome"]) || "done"}`
    case "child-started":
      return "a child started"
    case "child-finished":
      return "a child finished"
    case "steering-applied":
      return "steered"
    case "run-finished":
      return `finished: ${textOf(event["stop_reason"]) || "done"}`
    case "step-started":
    case "text-delta":
    case "reasoning-delta":
    case "tool-started":
    case "usage-updated":
      return undefined
  }
}

const proposedNames = (event: SessionEvent): string => {
  const calls: readonly unknown[] = Array.isArray(event["calls"]) ? event["calls"] : []
  const names = calls.map((call) =>
    typeof call === "object" && call !== null && "name" in call ? textOf(call.name) : "",
  )
  return oneLine(names.filter((name) => name !== "").join(", "), 80) || "tool calls"
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
