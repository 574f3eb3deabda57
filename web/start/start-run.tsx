import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { StartRunBody } from "../../contracts/http/send-message.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { isCarryOut } from "../review/key-rules.ts"
import { readJsonObject } from "../shown/json-text.ts"
import { sessionLink } from "../state/address.ts"
import { keptText } from "../state/kept.ts"
import { go } from "../state/route.ts"
import { sessionsRefresher } from "../state/sessions.ts"
import { Choose } from "./choose.tsx"
import { Field } from "./field.tsx"

const text = (form: FormData, name: string): string | undefined => {
  const value = form.get(name)
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const number = (form: FormData, name: string): number | undefined => {
  const value = text(form, name)
  return value === undefined ? undefined : Number(value)
}

const approvalChoice = (form: FormData): Pick<StartRunBody, "pause_on_approval" | "auto_approve"> => {
  const chosen = text(form, "approval")
  if (chosen === "pause") return { pause_on_approval: true }
  return chosen === "none" ? { auto_approve: true } : {}
}

const startRunBody = (form: FormData): StartRunBody => ({
  message: text(form, "message"),
  title: text(form, "title"),
  agent: text(form, "agent"),
  model: text(form, "model"),
  cwd: text(form, "cwd"),
  max_steps: number(form, "max_steps"),
  timeout_seconds: number(form, "timeout_seconds"),
  budget_usd: number(form, "budget_usd"),
  budget_tokens: number(form, "budget_tokens"),
  ...approvalChoice(form),
})

const approvals = {
  policy: "Ask as policy requires",
  pause: "Ask, and for questions too",
  none: "Never ask",
}

const Approval = ({ value }: { readonly value: string | undefined }) => (
  <div class="field">
    <label for="start-approval">Approval</label>
    <select id="start-approval" name="approval" aria-describedby="start-approval-note">
      {Object.entries(approvals).map(([name, words]) => (
        <option key={name} value={name} selected={name === value}>
          {words}
        </option>
      ))}
    </select>
    <span class="quiet" id="start-approval-note">
      “Never ask” runs every allowed call. It requires a token with the scope approve.
    </span>
  </div>
)

const keptDraft = keptText("new-run")

type Draft = Readonly<Record<string, string>>

const readDraft = (): Draft => {
  const read = keptDraft.value === "" ? undefined : readJsonObject(keptDraft.value)
  return Object.fromEntries(
    Object.entries(read ?? {}).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  )
}

/** The fields, with what was written there before. */
const Fields = ({ draft }: { readonly draft: Draft }) => {
  const instruction = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => instruction.current?.focus(), [])
  return (
    <>
      <div class="field wide">
        <label for="start-message">Instruction</label>
        <textarea
          id="start-message"
          name="message"
          rows={6}
          required
          ref={instruction}
          defaultValue={draft["message"]}
        />
      </div>
      <Field name="title" label="Title" note="Otherwise the beginning of the instruction" value={draft["title"]} />
      <Choose draft={draft} />
      <Field
        name="max_steps"
        label="Maximum steps"
        note="1 to 256"
        type="number"
        min={1}
        max={256}
        value={draft["max_steps"]}
      />
      <Field
        name="timeout_seconds"
        label="Time in seconds"
        note="Waits do not count"
        type="number"
        min={0}
        value={draft["timeout_seconds"]}
      />
      <Field
        name="budget_usd"
        value={draft["budget_usd"]}
        label="Budget in dollars"
        note="Sub-agents included"
        type="number"
        min={0}
        step="any"
      />
      <Field
        name="budget_tokens"
        label="Budget in tokens"
        note="Sub-agents included"
        type="number"
        min={1}
        value={draft["budget_tokens"]}
      />
      <Approval value={draft["approval"]} />
    </>
  )
}

/** A form that starts a run. What is left out is what the configuration says. */
export const StartRun = () => {
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  // Fields keep what is typed; the draft is for the next time that the form opens.
  const [draft] = useState(readDraft)
  const start = async (form: FormData): Promise<void> => {
    setBusy(true)
    try {
      const { session_id: id } = await server.start(startRunBody(form))
      keptDraft.value = ""
      void sessionsRefresher.now()
      go(sessionLink(id))
    } catch (error) {
      setFailure(errorMessage(error))
      setBusy(false)
    }
  }
  return (
    <section id="start" aria-label="New run">
      <h2>New run</h2>
      <form
        onInput={(event) => {
          keptDraft.value = JSON.stringify(Object.fromEntries(new FormData(event.currentTarget)))
        }}
        onKeyDown={(event) => {
          if (isCarryOut(event) && !event.repeat && !event.isComposing && !isBusy) event.currentTarget.requestSubmit()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          void start(new FormData(event.currentTarget))
        }}
      >
        <Fields draft={draft} />
        {failure !== undefined && (
          <p class="failure wide" role="alert">
            {failure}
          </p>
        )}
        <div class="bar wide">
          <button class="main" type="submit" disabled={isBusy}>
            Start the run
          </button>
          <span class="quiet">Ctrl+Enter: Start the run</span>
        </div>
      </form>
    </section>
  )
}
