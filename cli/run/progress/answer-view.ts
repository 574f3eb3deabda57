import type { SessionEvent } from "../../../contracts/event.ts"
import type { Screen } from "../../terminal/screen.ts"
import { plainText } from "../../terminal/plain-text.ts"
import { numberField, textField } from "../../text/event-fields.ts"

export interface AnswerView {
  show(event: SessionEvent): void
  /** Returns the model's last text, as far as it has been shown. */
  shown(): string
}

/** Shows the text of the model as it arrives. */
export const createAnswerView = (screen: Screen): AnswerView => {
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
      const text = textField(event, "text")
      // The last delta of an answer can contain the whole text: only what has not been shown is written.
      const isWhole = answer.shown !== "" && text.startsWith(answer.shown)
      screen.writePart(plainText(isWhole ? text.slice(answer.shown.length) : text))
      answer.shown = isWhole ? text : answer.shown + text
    },
  }
}
