import { useState } from "preact/hooks"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { pageFacts, workTimes } from "../../domain/session/session-facts.ts"
import { Meter } from "../parts/meter.tsx"
import { StatusMark } from "../parts/status-mark.tsx"
import { commandFor } from "../shown/commands.ts"
import { counted } from "../../domain/text/figures.ts"
import { duration, money, tokens, totalTokensText } from "../shown/figures.ts"
import { prose } from "../shown/prose.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { reviewLink, sessionLink } from "../state/address.ts"
import { isNarrow } from "./narrow.ts"

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const cancelText = ({ pause_reason: pause }: SessionDetail): string => {
  const pending = pause?.pending_tool_calls?.length ?? 0
  const calls = pending === 0 ? "" : `, and discard ${counted(pending, "pending call")}`
  return `Cancel the run and its sub-agents${calls}`
}

/** Cancels after a second press, whose button says what is lost. */
const CancelButton = ({ session, onCancel }: { readonly session: SessionDetail; readonly onCancel: () => void }) => {
  const [isAsked, setAsked] = useState(false)
  if (isFinal(session.status) || session.run_id === null) return null
  if (!isAsked)
    return (
      <button class="danger" onClick={() => setAsked(true)}>
        Cancel …
      </button>
    )
  return (
    <span class="bar" role="group" aria-label="Confirm">
      <button
        class="danger"
        onClick={() => {
          setAsked(false)
          onCancel()
        }}
      >
        {cancelText(session)}
      </button>
      <button onClick={() => setAsked(false)}>Keep it</button>
    </span>
  )
}

/** Copies the command. If the browser refuses that, selects it, so that the person can copy it. */
const CommandButton = ({ session }: { readonly session: SessionDetail }) => {
  const [shown, setShown] = useState<string>()
  const command = commandFor(session)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      setShown("Copied:")
    } catch {
      setShown("Copy it by hand:")
    }
  }
  return (
    <>
      <button onClick={() => void copy()} title={command}>
        Copy command
      </button>
      {shown !== undefined && (
        <span class="quiet" role="status">
          {shown} <code>{command}</code>
        </span>
      )}
    </>
  )
}

const Limits = ({ session: { limits } }: { readonly session: SessionDetail }) => {
  if (limits === null) return null
  const { max_steps: steps, timeout_seconds: time, budget_usd: usd, budget_tokens: budget } = limits
  return (
    <div class="meters">
      <Meter name="steps" used={steps.used} limit={steps.limit} text={`${steps.used} of ${steps.limit}`} />
      {time.limit !== null && (
        <Meter
          name="time"
          used={time.used}
          limit={time.limit}
          text={`${duration(time.used * 1_000)} of ${duration(time.limit * 1_000)}`}
        />
      )}
      {usd.limit !== null && (
        <Meter name="cost" used={usd.used ?? 0} limit={usd.limit} text={`${money(usd.used)} of ${money(usd.limit)}`} />
      )}
      {budget.limit !== null && (
        <Meter
          name="tokens"
          used={budget.used}
          limit={budget.limit}
          text={`${tokens(budget.used)} of ${tokens(budget.limit)}`}
        />
      )}
    </div>
  )
}

/** Names the fallback model, too, if one took the last step of the latest run. */
const modelText = ({ model, runs }: SessionDetail): string => {
  const fallback = runs.at(-1)?.fallback_model
  return fallback == null ? model : `${fallback}, instead of ${model}`
}

const Facts = ({ session }: { readonly session: SessionDetail }) => {
  const { ranMs, waitedMs } = workTimes(session)
  return (
    <dl>
      <Figure name="session" value={session.id} />
      <Figure name="agent" value={prose(session.agent)} />
      <Figure name="model" value={prose(modelText(session))} />
      <Figure
        name="took"
        value={`${counted(session.steps_taken, "step")}${ranMs === 0 ? "" : ` in ${duration(ranMs)}`}`}
      />
      {waitedMs > 0 && <Figure name="waited" value={duration(waitedMs)} />}
      <Figure name="used" value={`${totalTokensText(session.usage)}, ${money(session.usage.cost_usd)}`} />
      {pageFacts(session).map(
        ([name, text]) => text !== null && <Figure key={`${name} ${text}`} name={name} value={prose(text)} />,
      )}
    </dl>
  )
}

const isWebAddress = (url: string | null): url is string => url !== null && /^https?:\/\//.test(url)

/** What is read less often. */
const More = ({ session }: { readonly session: SessionDetail }) => (
  <>
    <Facts session={session} />
    <Limits session={session} />
    <div class="bar">
      <CommandButton session={session} />
      {isWebAddress(session.temporal_url) && (
        <a class="button" href={session.temporal_url} target="_blank" rel="noopener noreferrer">
          Open in Temporal
        </a>
      )}
      {session.parent_session_id !== null && (
        <a class="button" href={sessionLink(session.parent_session_id)}>
          Open its parent
        </a>
      )}
      {session.forked_from !== null && (
        <a class="button" href={sessionLink(session.forked_from)}>
          Open the session it was forked from
        </a>
      )}
    </div>
  </>
)

/** What a session is, how it stands, and what can be done with it. */
export const Head = ({ session, onCancel }: { readonly session: SessionDetail; readonly onCancel: () => void }) => (
  <div id="head">
    <div class="title">
      <h2>{prose(session.title ?? session.agent)}</h2>
      <span class={`status ${session.status}`}>
        <StatusMark status={session.status} /> {statusWords(session)}
      </span>
      {session.checkpoint_id !== null && (
        <a class="button decide" href={reviewLink(session.checkpoint_id)}>
          {session.pause_reason?.type === "input_required" ? "Answer" : "Decide"}
        </a>
      )}
      {!isNarrow.value && <CancelButton session={session} onCancel={onCancel} />}
    </div>
    {isNarrow.value ? (
      <details>
        <summary>
          <span class="title">Figures, limits, links and Cancel</span>
        </summary>
        <More session={session} />
        <CancelButton session={session} onCancel={onCancel} />
      </details>
    ) : (
      <More session={session} />
    )}
  </div>
)
