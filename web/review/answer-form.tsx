import { useState } from "preact/hooks"
import { isCarryOut } from "./key-rules.ts"

/** The answer to a question. Its text is kept if the question was answered elsewhere in the meantime. */
export const AnswerForm = ({
  isOff,
  isGone,
  onAnswer,
}: {
  readonly isOff: boolean
  readonly isGone: boolean
  readonly onAnswer: (text: string) => void
}) => {
  const [text, setText] = useState("")
  const answer = (): void => {
    if (!isOff && text.trim() !== "") onAnswer(text)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        answer()
      }}
    >
      <textarea
        rows={2}
        required
        data-answer
        {...(isOff ? { "data-off": "" } : {})}
        aria-label="Your answer"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isCarryOut(event) && !event.repeat && !event.isComposing) answer()
        }}
      />
      {isGone && (
        <p class="quiet" role="status">
          The question was answered elsewhere. What you wrote here was not sent.
        </p>
      )}
      <div class="bar">
        <button class="main" type="submit" disabled={isOff}>
          Answer
        </button>
        <span class="quiet">Ctrl+Enter: Answer</span>
      </div>
    </form>
  )
}
