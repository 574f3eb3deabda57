import type { SessionEvent } from "../../../contracts/event.ts"
import { durationText } from "../../../domain/text/figures.ts"
import { newLines } from "../../../domain/text/shown/command-output.ts"
import type { Screen } from "../../terminal/screen.ts"
import { callHeadline } from "../../text/call-text.ts"
import { oneLine, plainText } from "../../terminal/plain-text.ts"
import { numberField, type EventCall, eventTextField } from "../../text/event-fields.ts"

/** Returns how a call ended: `ok 0.1s`. */
const outcomeOf = (event: SessionEvent): string => {
  const durationMs = numberField(event, "duration_ms")
  const took = durationMs === undefined ? "" : ` ${durationText(durationMs)}`
  return `${oneLine(eventTextField(event, "outcome"), 20) || "done"}${took}`
}

/** Shows each call on one line, by its name and main argument, and its outcome. */
export const createCallView = (screen: Screen, showLine: (text: string) => void) => {
  const headlines = new Map<string, string>()
  const tails = new Map<string, string>()
  // The call whose line waits for its outcome. Calls that run at the same time get a line when they have finished.
  let started: string | undefined
  let isOpen = false
  const nameOf = (event: SessionEvent): string => oneLine(eventTextField(event, "name"), 60)
  const headlineOf = (event: SessionEvent): string => headlines.get(eventTextField(event, "call_id")) ?? nameOf(event)
  return {
    remember: (calls: readonly EventCall[]): void =>
      calls.forEach((call) => headlines.set(call.id, callHeadline(call.name, call.arguments))),
    start: (event: SessionEvent): void => {
      if (started !== undefined) return
      started = eventTextField(event, "call_id")
      screen.endLine()
      screen.writePart(`● ${headlineOf(event)}`)
      isOpen = true
    },
    /** Shows what a running call has written since it was last asked. */
    output: (event: SessionEvent): void => {
      const id = eventTextField(event, "call_id")
      const tail = plainText(eventTextField(event, "message"))
      const fresh = newLines(tails.get(id) ?? "", tail)
      if (fresh.trim() === "") return
      tails.set(id, tail.slice(0, tail.lastIndexOf("\n") + 1))
      showLine(
        fresh
          .trimEnd()
          .split("\n")
          .map((line) => `  │ ${line}`)
          .join("\n"),
      )
    },
    /** Notes that something else was shown below the line of the call that runs. */
    leaveLine: (): void => {
      isOpen = false
    },
    finish: (event: SessionEvent): void => {
      const isStarted = started === eventTextField(event, "call_id")
      const outcome = ` … ${outcomeOf(event)}`
      if (isStarted) started = undefined
      if (isStarted && isOpen && screen.isLineOpen()) screen.writePart(`${outcome}\n`)
      // Its arguments are on the line that it had at the start.
      else showLine(`● ${isStarted ? nameOf(event) : headlineOf(event)}${outcome}`)
    },
  }
}
