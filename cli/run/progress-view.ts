import type { SessionEvent } from "../../contracts/event.ts"
import type { TextSink } from "../program/cli-io.ts"
import type { ProposedCall } from "./event-fields.ts"
import { numberField, proposedCalls, textField } from "./event-fields.ts"
import { callHeadline } from "../text/call-text.ts"
import { durationText } from "../../domain/text/figures.ts"
import { oneLine, plainText } from "../text/plain-text.ts"

/** Shows a run while it happens: the model's words as they come, one line per tool call. */
export interface ProgressView {
  show(event: SessionEvent): void
}

export const createProgressView = (sink: TextSink, earlierCalls: readonly ProposedCall[] = []): ProgressView => {
  const headlines = new Map<string, string>()
  const remember = (calls: readonly ProposedCall[]): void =>
    calls.forEach((call) => headlines.set(call.id, callHeadline(call.name, call.arguments)))
  remember(earlierCalls)
  let atLineStart = true
  /** The call whose line is still open at the cursor. */
  let openLine: string | undefined
  /** The words of the answer that is being shown. */
  let answer = { place: "", shown: "" }

  const write = (text: string): void => {
    if (text === "") return
    sink.write(text)
    atLineStart = text.endsWith("\n")
  }
  const freshLine = (): void => write(atLineStart ? "" : "\n")
  const line = (text: string): void => {
    freshLine()
    write(`${text}\n`)
    openLine = undefined
  }

  const showWords = (event: SessionEvent): void => {
    const place = `${event.run_id} ${numberField(event, "seq") ?? 0}/${numberField(event, "attempt") ?? 0}`
    // A retried turn starts again: its words begin on a line of their own.
    if (place !== answer.place || openLine !== undefined) freshLine()
    if (place !== answer.place) answer = { place, shown: "" }
    openLine = undefined
    const text = textField(event, "text")
    // A finished answer's deltas become one with the whole text: whoever saw its beginning needs only the rest.
    const isWhole = answer.shown !== "" && text.startsWith(answer.shown)
    write(plainText(isWhole ? text.slice(answer.shown.length) : text))
    answer.shown = isWhole ? text : answer.shown + text
  }

  const startCall = (event: SessionEvent): void => {
    const id = textField(event, "call_id")
    freshLine()
    write(`● ${headlines.get(id) ?? oneLine(textField(event, "name"), 60)}`)
    openLine = id
  }

  const finishCall = (event: SessionEvent): void => {
    const id = textField(event, "call_id")
    const durationMs = numberField(event, "duration_ms")
    const took = durationMs === undefined ? "" : ` ${durationText(durationMs)}`
    const ending = `… ${oneLine(textField(event, "outcome"), 20) || "done"}${took}`
    if (openLine === id) write(` ${ending}\n`)
    else line(`● ${headlines.get(id) ?? oneLine(textField(event, "name"), 60)} ${ending}`)
    openLine = undefined
  }

  return {
    show: (event) => {
      switch (event.type) {
        case "text-delta":
          return showWords(event)
        case "tool-calls-proposed":
          return remember(proposedCalls(event))
        case "tool-started":
          return startCall(event)
        case "tool-finished":
          return finishCall(event)
        case "run-paused":
          return line("‖ paused")
        case "steering-applied":
          return line("↪ steered")
        case "child-started":
          return line("▸ a child started")
        case "child-finished":
          return line("▸ a child finished")
        case "run-finished":
          return line(`■ ${oneLine(textField(event, "stop_reason"), 40) || "finished"}`)
        case "run-started":
        case "step-started":
        case "reasoning-delta":
        case "tool-progressed":
        case "decision-recorded":
        case "usage-updated":
          return undefined
      }
    },
  }
}
