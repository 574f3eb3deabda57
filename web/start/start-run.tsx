import { useState } from "preact/hooks"
import type { StartRunBody } from "../../contracts/http/send-message.ts"
import { messageOf } from "../api/request.ts"
import { server } from "../api/server.ts"
import { sessionLink } from "../state/address.ts"
import { go } from "../state/route.ts"
import { sessionsRefresher } from "../state/sessions.ts"

const text = (form: FormData, name: string): string | undefined => {
  const value = form.get(name)
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const number = (form: FormData, name: string): number | undefined => {
  const value = text(form, name)
  return value === undefined ? undefined : Number(value)
}

const approvalOf = (form: FormData): Pick<StartRunBody, "pause_on_approval" | "auto_approve"> => {
  const chosen = text(form, "approval")
  if (chosen === "pause") return { pause_on_approval: true }
  return chosen === "none" ? { auto_approve: true } : {}
}

const bodyOf = (form: FormData): StartRunBody => ({
  message: text(form, "message"),
  title: text(form, "title"),
  agent: text(form, "agent"),
  model: text(form, "model"),
  cwd: text(form, "cwd"),
  max_steps: number(form, "max_steps"),
  timeout_seconds: number(form, "timeout_seconds"),
  budget_usd: number(form, "budget_usd"),
  budget_tokens: number(form, "budget_tokens"),
  ...approvalOf(form),
})

const Field = ({
  name,
  label,
  note,
  ...input
}: {
  readonly name: string
  readonly label: string
  readonly note: string
  readonly type?: "number"
  readonly min?: number
  readonly max?: number
  readonly step?: "any"
}) => (
  <div class="field">
    <label for={`start-${name}`}>{label}</label>
    <input id={`start-${name}`} name={name} aria-describedby={`start-${name}-note`} {...input} />
    <span class="quiet" id={`start-${name}-note`}>
      {note}
    </span>
  </div>
)

const Approval = () => (
  <div class="field">
    <label for="start-approval">Approval</label>
    <select id="start-approval" name="approval" aria-describedby="start-approval-note">
      <option value="policy">Ask as policy requires</option>
      <option value="pause">Ask, and for questions too</option>
      <option value="none">Never ask</option>
    </select>
    <span class="quiet" id="start-approval-note">
      “Never ask” runs every allowed call. It requires a token with the scope approve.
    </span>
  </div>
)

/** A form that starts a run. What is left out is what the configuration says. */
export const StartRun = () => {
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const start = async (form: FormData): Promise<void> => {
    setBusy(true)
    try {
      const { session_id: id } = await server.start(bodyOf(form))
      void sessionsRefresher.now()
      go(sessionLink(id))
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <section id="start" aria-label="New run">
      <h2>New run</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start(new FormData(event.currentTarget))
        }}
      >
        <div class="field wide">
          <label for="start-message">Instruction</label>
          <textarea id="start-message" name="message" rows={6} required />
        </div>
        <Field name="title" label="Title" note="Otherwise the beginning of the instruction" />
        <Field name="agent" label="Agent" note="Otherwise the default agent" />
        <Field name="model" label="Model" note="Otherwise that of the agent" />
        <Field name="cwd" label="Directory" note="Absolute path; otherwise the first workspace" />
        <Field name="max_steps" label="Maximum steps" note="1 to 256" type="number" min={1} max={256} />
        <Field name="timeout_seconds" label="Time in seconds" note="Waits do not count" type="number" min={0} />
        <Field
          name="budget_usd"
          label="Budget in dollars"
          note="Sub-agents included"
          type="number"
          min={0}
          step="any"
        />
        <Field name="budget_tokens" label="Budget in tokens" note="Sub-agents included" type="number" min={1} />
        <Approval />
        {failure !== undefined && (
          <p class="failure wide" role="alert">
            {failure}
          </p>
        )}
        <div class="bar wide">
          <button class="main" type="submit" disabled={isBusy}>
            Start the run
          </button>
        </div>
      </form>
    </section>
  )
}
