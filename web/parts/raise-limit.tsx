import { useState } from "preact/hooks"
import type { SendMessageBody } from "../../contracts/http/send-message.ts"
import { continueText, moreSteps, type RaisableLimit } from "../shown/raisable-limits.ts"

export type Raise = Partial<Pick<SendMessageBody, RaisableLimit["field"]>> & Pick<SendMessageBody, "message">

const Field = ({
  item: { field, label, limit, step },
  value,
  onValue,
}: {
  readonly item: RaisableLimit
  readonly value: string
  readonly onValue: (text: string) => void
}) => (
  <label for={`raise-${field}`}>
    {label}, more than {limit}
    <input
      id={`raise-${field}`}
      type="number"
      required
      min={step === 1 ? limit + 1 : limit}
      step={step}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  </label>
)

/** Continues a session whose run used up its steps with fifty more. */
export const MoreSteps = ({ onContinue }: { readonly onContinue: (raise: Raise) => Promise<unknown> }) => {
  const [isSending, setSending] = useState(false)
  return (
    <button
      type="button"
      disabled={isSending}
      onClick={() => {
        setSending(true)
        void onContinue({ message: continueText, max_steps: moreSteps }).finally(() => setSending(false))
      }}
    >
      Continue with {moreSteps} more steps
    </button>
  )
}

/** Continues a session whose run has reached its limits, with higher ones. Who may not approve reads who can. */
export const RaiseLimit = ({
  limits,
  mayApprove,
  onContinue,
}: {
  readonly limits: readonly RaisableLimit[]
  readonly mayApprove: boolean
  readonly onContinue: (raise: Raise) => Promise<unknown>
}) => {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [isSending, setSending] = useState(false)
  if (!mayApprove) return <p>A person whose token has the scope approve can raise this limit here, and continue.</p>
  const valueOf = ({ field, offered }: RaisableLimit): string => values[field] ?? String(offered)
  return (
    <form
      class="raise"
      aria-label="Raise the limit"
      onSubmit={(event) => {
        event.preventDefault()
        const raised = Object.fromEntries(limits.map((item) => [item.field, Number(valueOf(item))]))
        setSending(true)
        void onContinue({ message: continueText, ...raised }).finally(() => setSending(false))
      }}
    >
      {limits.map((item) => (
        <Field
          key={item.field}
          item={item}
          value={valueOf(item)}
          onValue={(text) => setValues({ ...values, [item.field]: text })}
        />
      ))}
      <button class="main" type="submit" disabled={isSending}>
        Continue
      </button>
    </form>
  )
}
