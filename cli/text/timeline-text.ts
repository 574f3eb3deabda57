import type { SessionEvent } from "../../contracts/event.ts"
import { compactedText, proposedCalls, eventTextField } from "./event-fields.ts"
import { oneLine } from "../terminal/plain-text.ts"

/** Returns one line per event that changed something, with the time since the first event. */
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
      return `the model proposed ${oneLine(
        proposedCalls(event)
          .map((call) => call.name)
          .join(", "),
        80,
      )}`
    case "model-retry":
      return `the model call failed, trying again: ${oneLine(eventTextField(event, "reason"), 80)}`
    case "model-changed":
      return `continues on model ${oneLine(eventTextField(event, "to"), 60)}: ${oneLine(eventTextField(event, "reason"), 80)}`
    case "context-compacted":
      return compactedText(event)
    case "limit-approached":
    case "tools-changed":
    case "tools-unavailable":
    case "tools-unlisted":
    case "prompt-cut":
      return oneLine(eventTextField(event, "message"), 200)
    case "run-paused":
      return "paused for a decision"
    case "decision-recorded":
      return `decided by ${oneLine(eventTextField(event, "by") || "someone", 40)} (${oneLine(eventTextField(event, "via"), 40)})`
    case "tool-finished":
      return `${oneLine(eventTextField(event, "name"), 60)} → ${eventTextField(event, "outcome") || "done"}`
    case "child-started":
      return "a child started"
    case "child-finished":
      return "a child finished"
    case "worktree-opened":
      return "its worktree was created"
    case "worktree-closed":
      return `its worktree was removed: ${oneLine(eventTextField(event, "problem") || eventTextField(event, "status"), 200)}`
    case "worktree-merged":
      return "the changes of a child were merged"
    case "steering-applied":
      return "steered"
    case "run-finished":
      return `finished: ${eventTextField(event, "stop_reason") || "done"}`
    case "tool-progressed":
      return "planted" in event ? oneLine(eventTextField(event, "message"), 200) : undefined
    case "step-started":
    case "text-delta":
    case "reasoning-delta":
    case "tool-started":
    case "usage-updated":
      return undefined
  }
}
