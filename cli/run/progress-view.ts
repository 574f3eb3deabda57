import type { SessionEvent } from "../../contracts/event.ts"
import type { TextSink } from "../program/cli-context.ts"
import { compactedText, numberField, type ProposedCall, proposedCalls, textField } from "./event-fields.ts"
import { callHeadline } from "../text/call-text.ts"
import { durationText } from "../../domain/text/figures.ts"
import { oneLine, plainText } from "../text/plain-text.ts"

/** Shows the progress of a run: the text of the model as it arrives, and one line per tool call. */
export interface ProgressView {
  show(event: SessionEvent): void
}

/** Writes whole lines and parts of them. The line of a call may stay open until the call has finished. */
const createLineWriter = (sink: TextSink) => {
  let atLineStart = true
  let openCallId: string | undefined
  const write = (text: string): void => {
    if (text === "") return
    sink.write(text)
    atLineStart = text.endsWith("\n")
  }
  const freshLine = (): void => write(atLineStart ? "" : "\n")
  return {
    write,
    freshLine,
    openCall: () => openCallId,
    startCall: (id: string, text: string): void => {
      freshLine()
      write(text)
      openCallId = id
    },
    closeCall: (): void => {
      openCallId = undefined
    },
    line: (text: string): void => {
      freshLine()
      write(`${text}\n`)
      openCallId = undefined
    },
  }
}

type LineWriter = ReturnType<typeof createLineWriter>

/** Shows the text of the model as it arrives. */
const createAnswerView = (lines: LineWriter) => {
  let answer = { attempt: "", shown: "" }
  return (event: SessionEvent): void => {
    const attempt = `${event.run_id} ${numberField(event, "seq") ?? 0}/${numberField(event, "attempt") ?? 0}`
    // A retried turn starts again, on a new line.
    if (attempt !== answer.attempt || lines.openCall() !== undefined) lines.freshLine()
    if (attempt !== answer.attempt) answer = { attempt, shown: "" }
    lines.closeCall()
    const text = textField(event, "text")
    // The last delta of an answer can contain the whole text: only what has not been shown is written.
    const isWhole = answer.shown !== "" && text.startsWith(answer.shown)
    lines.write(plainText(isWhole ? text.slice(answer.shown.length) : text))
    answer.shown = isWhole ? text : answer.shown + text
  }
}

/** Shows a call by its name and main argument, and its outcome. */
const createCallView = (lines: LineWriter) => {
  const headlines = new Map<string, string>()
  const headlineOf = (event: SessionEvent): string =>
    `● ${headlines.get(textField(event, "call_id")) ?? oneLine(textField(event, "name"), 60)}`
  return {
    remember: (calls: readonly ProposedCall[]): void =>
      calls.forEach((call) => headlines.set(call.id, callHeadline(call.name, call.arguments))),
    start: (event: SessionEvent): void => lines.startCall(textField(event, "call_id"), headlineOf(event)),
    finish: (event: SessionEvent): void => {
      const durationMs = numberField(event, "duration_ms")
      const took = durationMs === undefined ? "" : ` ${durationText(durationMs)}`
      const outcome = `… ${oneLine(textField(event, "outcome"), 20) || "done"}${took}`
      if (lines.openCall() === textField(event, "call_id")) lines.write(` ${outcome}\n`)
      else lines.line(`${headlineOf(event)} ${outcome}`)
      lines.closeCall()
    },
  }
}

const retryText = (event: SessionEvent): string =>
  `↻ the model call failed; attempt ${(numberField(event, "attempt") ?? 0) + 1} follows: ${oneLine(textField(event, "reason"), 200)}`

const changeText = (event: SessionEvent): string =>
  `↻ continues on model ${oneLine(textField(event, "to"), 60)}: ${oneLine(textField(event, "reason"), 200)}`

export const createProgressView = (sink: TextSink, earlierCalls: readonly ProposedCall[] = []): ProgressView => {
  const lines = createLineWriter(sink)
  const showAnswer = createAnswerView(lines)
  const calls = createCallView(lines)
  calls.remember(earlierCalls)
  return {
    show: (event) => {
      switch (event.type) {
        case "text-delta":
          return showAnswer(event)
        case "tool-calls-proposed":
          return calls.remember(proposedCalls(event))
        case "tool-started":
          return calls.start(event)
        case "tool-finished":
          return calls.finish(event)
        case "model-retry":
          return lines.line(retryText(event))
        case "model-changed":
          return lines.line(changeText(event))
        case "context-compacted":
          return lines.line(`↧ ${compactedText(event)}`)
        case "limit-approached":
        case "tools-changed":
          return lines.line(`! ${oneLine(textField(event, "message"), 400)}`)
        case "run-paused":
          return lines.line("‖ paused")
        case "steering-applied":
          return lines.line("↪ steered")
        case "child-started":
          return lines.line("▸ a child started")
        case "child-finished":
          return lines.line("▸ a child finished")
        case "run-finished":
          return lines.line(`■ ${oneLine(textField(event, "stop_reason"), 40) || "finished"}`)
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
