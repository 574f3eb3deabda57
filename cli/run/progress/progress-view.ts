import type { SessionEvent } from "../../../contracts/event.ts"
import type { Screen } from "../../terminal/screen.ts"
import { oneLine, plainText } from "../../terminal/plain-text.ts"
import { createCallView } from "./call-view.ts"
import { compactedText, numberField, type EventCall, proposedCalls, eventTextField } from "../../text/event-fields.ts"

/** Shows the progress of a run: the text of the model as it arrives, and one line per tool call. */
export interface ProgressView {
  show(event: SessionEvent): void
  /** Ends the last line. What the outcome repeats in the same place is left out. */
  end(): void
  /** Returns the model's last text, as far as it has been shown. */
  answer(): string
}

interface AnswerView {
  show(event: SessionEvent): void
  /** Returns the model's last text, as far as it has been shown. */
  shown(): string
}

/** Shows the text of the model as it arrives. */
const createAnswerView = (screen: Screen): AnswerView => {
  let answer = { attempt: "", shown: "" }
  return {
    shown: () => answer.shown,
    show: (event) => {
      const attempt = `${event.run_id} ${numberField(event, "seq") ?? 0}/${numberField(event, "attempt") ?? 0}`
      // A retried turn starts again, on a new line.
      if (attempt !== answer.attempt) {
        screen.endLine()
        answer = { attempt, shown: "" }
      }
      const text = eventTextField(event, "text")
      // The last delta of an answer can contain the whole text: only what has not been shown is written.
      const isWhole = answer.shown !== "" && text.startsWith(answer.shown)
      screen.writePart(plainText(isWhole ? text.slice(answer.shown.length) : text))
      answer.shown = isWhole ? text : answer.shown + text
    },
  }
}

const retryText = (event: SessionEvent): string =>
  `↻ the model call failed; attempt ${(numberField(event, "attempt") ?? 0) + 1} follows: ${oneLine(eventTextField(event, "reason"), 200)}`

const changeText = (event: SessionEvent): string =>
  `↻ continues on model ${oneLine(eventTextField(event, "to"), 60)}: ${oneLine(eventTextField(event, "reason"), 200)}`

/** Returns the line of an event that needs no other one; undefined if it has none. */
const plainLineOf = (event: SessionEvent): string | undefined => {
  switch (event.type) {
    case "model-retry":
      return retryText(event)
    case "model-changed":
      return changeText(event)
    case "context-compacted":
      return `↧ ${compactedText(event)}`
    case "limit-approached":
    case "tools-changed":
    case "tools-unavailable":
    case "tools-unlisted":
    case "prompt-cut":
      return `! ${oneLine(eventTextField(event, "message"), 400)}`
    case "steering-applied":
      return "↪ steered"
    case "child-started":
      return "▸ a child started"
    case "child-finished":
      return "▸ a child finished"
    case "worktree-merged":
      return "▸ the changes of a child were merged"
    case "run-finished":
      return `■ ${oneLine(eventTextField(event, "stop_reason"), 40) || "finished"}`
    case "text-delta":
    case "tool-calls-proposed":
    case "tool-started":
    case "tool-finished":
    case "run-paused":
    case "run-started":
    case "step-started":
    case "reasoning-delta":
    case "tool-progressed":
    case "decision-recorded":
    case "usage-updated":
    case "worktree-opened":
    case "worktree-closed":
      return undefined
  }
}

export interface ProgressOptions {
  /** Calls that were proposed before the first event. */
  readonly earlierCalls?: readonly EventCall[]
  /** Shows a call when it starts, as nothing else says that it runs; default: true. */
  readonly showsRunning?: boolean
}

export const createProgressView = (
  screen: Screen,
  { earlierCalls = [], showsRunning = true }: ProgressOptions = {},
): ProgressView => {
  // The pause is known to be over when something follows; the outcome names one that is not.
  let isPaused = false
  const showPause = (): void => {
    if (isPaused) screen.writePart("‖ paused\n")
    isPaused = false
  }
  const showLine = (text: string): void => {
    calls.leaveLine()
    screen.endLine()
    screen.writePart(`${text}\n`)
  }
  const answer = createAnswerView(screen)
  const calls = createCallView(screen, showLine)
  calls.remember(earlierCalls)
  const show = (event: SessionEvent): void => {
    const line = plainLineOf(event)
    if (line !== undefined) return showLine(line)
    switch (event.type) {
      case "text-delta":
        calls.leaveLine()
        return answer.show(event)
      case "tool-calls-proposed":
        return calls.remember(proposedCalls(event))
      case "tool-started":
        return showsRunning ? calls.start(event) : undefined
      case "tool-progressed":
        return calls.output(event)
      case "tool-finished":
        return calls.finish(event)
      case "run-paused":
        calls.leaveLine()
        screen.endLine()
        isPaused = true
        return undefined
      default:
        return undefined
    }
  }
  return {
    answer: () => answer.shown(),
    show: (event) => {
      showPause()
      show(event)
    },
    end: () => {
      if (!screen.isShared) showPause()
      screen.endLine()
    },
  }
}
