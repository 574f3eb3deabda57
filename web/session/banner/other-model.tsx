import { useState } from "preact/hooks"
import type { Session } from "../../../contracts/session/session.ts"
import { server } from "../../api/server.ts"
import { useAnswer } from "../../parts/use-answer.ts"

/** Continues a failed session with another model. */
export const OtherModel = ({
  session,
  onContinue,
}: {
  readonly session: Pick<Session, "model">
  readonly onContinue: (model: string) => Promise<unknown>
}) => {
  const { answer } = useAnswer("models", server.choices)
  const [isSending, setSending] = useState(false)
  const others = (answer?.models ?? []).filter(({ name }) => name !== session.model)
  if (others.length === 0) return null
  return (
    <form
      class="raise"
      aria-label="Continue with another model"
      onSubmit={(event) => {
        event.preventDefault()
        const model = new FormData(event.currentTarget).get("model")
        if (typeof model !== "string") return
        setSending(true)
        void onContinue(model).finally(() => setSending(false))
      }}
    >
      <label for="other-model">
        Model, instead of {session.model}
        <select id="other-model" name="model">
          {others.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={isSending}>
        Continue with this model
      </button>
    </form>
  )
}
