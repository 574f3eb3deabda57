import type { SessionEvent } from "../contracts/event.ts"
import type { TextSink } from "./cli-io.ts"
import { callHeadline } from "./text/call-text.ts"
import { durationText } from "./text/figures.ts"
import { oneLine, plainText } from "./text/plain-text.ts"

/** Shows a run while it happens: the model's words as they come, one line per tool call. */
export interface ProgressView {
  show(event: SessionEvent): void
}

interface OpenCall {
  readonly headline: string
  readonly startedMs: number
}

export const createProgressView = (sink: TextSink): ProgressView => {
  const calls = new Map<string, OpenCall>()
  let atLineStart = true
  /** The call whose line is still open at the cursor. */
  let openLine: string | undefined
  let textPlace = ""

  const write = (text: string): void => {
    if (text === "") return
    sink.write(text)
    atLineStart = text.endsWith("\n")
  }
  const line = (text: string): void => {
    write(`${atLineStart ? "" : "\n"}${text}\n`)
    openLine = undefined
  }

  const delta = (event: SessionEvent): void => {
    const place = `${stringOf(event["seq"])}/${stringOf(event["attempt"])}`
    // A retried turn starts again: its words begin on a line of their own.
    if ((place !== textPlace || openLine !== undefined) && !atLineStart) write("\n")
    textPlace = place
    openLine = undefined
    write(plainText(stringOf(event["text"])))
  }

  const started = (event: SessionEvent): void => {
    const id = callId(event)
    const headline = callHeadline(stringOf(event["name"]), argumentsOf(event))
    calls.set(id, { headline, startedMs: Date.parse(event.at) })
    write(`${atLineStart ? "" : "\n"}● ${headline}`)
    openLine = id
  }

  const finished = (event: SessionEvent): void => {
    const id = callId(event)
    const call = calls.get(id)
    calls.delete(id)
    const headline = call?.headline ?? callHeadline(stringOf(event["name"]), argumentsOf(event))
    const took = call === undefined ? "" : ` ${durationText(Date.parse(event.at) - call.startedMs)}`
    const ending = `… ${stringOf(event["outcome"]) || "done"}${took}\n`
    const isOpen = openLine === id
    openLine = undefined
    write(isOpen ? ` ${ending}` : `${atLineStart ? "" : "\n"}● ${headline} ${ending}`)
  }

  return {
    show: (event) => {
      switch (event.type) {
        case "text-delta":
          return delta(event)
        case "tool-started":
          return started(event)
        case "tool-finished":
          return finished(event)
        case "run-paused":
          return line("‖ paused")
        case "steering-applied":
          return line("↪ steered")
        case "child-started":
          return line(`▸ child ${oneLine(stringOf(event["child_session_id"] ?? event["child_id"]), 80)} started`)
        case "child-finished":
          return line(`▸ child ${oneLine(stringOf(event["child_session_id"] ?? event["child_id"]), 80)} finished`)
        case "run-finished":
          return line(`■ ${oneLine(stringOf(event["stop_reason"] ?? event["status"]) || "finished", 40)}`)
        case "run-started":
        case "step-started":
        case "reasoning-delta":
        case "tool-calls-proposed":
        case "decision-recorded":
        case "usage-updated":
          return undefined
      }
    },
  }
}

const stringOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

const callId = (event: SessionEvent): string => stringOf(event["call_id"] ?? event["id_of_call"])

const argumentsOf = (event: SessionEvent): Readonly<Record<string, unknown>> => {
  const args = event["arguments"] ?? event["preview"]
  if (typeof args === "object" && args !== null) return Object.fromEntries(Object.entries(args))
  return typeof args === "string" ? { preview: args } : {}
}
