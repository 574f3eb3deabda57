import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { Session } from "../../contracts/session/session.ts"
import { counted } from "../../domain/text/figures.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { visible } from "../../domain/text/visible.ts"
import type { Approval } from "../api/shapes.ts"
import { KeyList } from "../parts/key-list.tsx"
import { requestText } from "../review/request-text.ts"
import { elapsed, money } from "../shown/figures.ts"
import { prose } from "../shown/prose.ts"
import { reviewLink, sessionLink, startLink } from "../state/address.ts"
import { approvals, waitingCount } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { hasNone, hasOlder, sessions } from "../state/sessions.ts"
import { ContinueButton } from "./continue-button.tsx"
import { currentAction, followActions, readAction } from "./current-actions.ts"
import { costToday, failedSince, runningNow } from "./today.ts"

const sessionName = ({ title, label, agent }: Pick<Session, "title" | "label" | "agent">): string =>
  prose(label ?? title ?? agent)

/** How long ago a moment was, with the moment itself as the title. */
const Ago = ({ at }: { readonly at: string }) => (
  <time class="quiet" dateTime={at} title={new Date(at).toLocaleString()}>
    {elapsed(at, now.value)} ago
  </time>
)

const Part = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div class="part" role="region" aria-label={name}>
    <h2>{name}</h2>
    {children}
  </div>
)

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? ""

/** What a pause is about: the question itself, or the first call. */
const waitReason = (approval: Approval): string =>
  approval.type === "input_required" && approval.message.trim() !== ""
    ? visible(firstLine(approval.message))
    : requestText(approval)

const NeedsYou = ({ items }: { readonly items: readonly Approval[] }) => (
  <Part name="Needs you">
    {items.length === 0 && <p class="quiet">Nothing waits for a decision or an answer.</p>}
    <ul class="lines">
      {items.map((approval) => (
        <li key={approval.checkpoint_id}>
          <a href={reviewLink(approval.checkpoint_id)}>{visible(approval.title ?? approval.agent)}</a>
          <span class="reason">{waitReason(approval)}</span>
          <Ago at={approval.opened_at} />
        </li>
      ))}
    </ul>
    {waitingCount.value > 0 && (
      <a class="button decide" href={reviewLink()}>
        Review {counted(waitingCount.value, "decision")}
      </a>
    )}
  </Part>
)

const Failed = ({ items }: { readonly items: readonly Session[] }) => (
  <Part name="Failed since yesterday">
    {items.length === 0 && <p class="quiet">Nothing failed.</p>}
    <ul class="lines">
      {items.map((session) => (
        <li key={session.id}>
          <a href={sessionLink(session.id)}>{sessionName(session)}</a>
          <span class="reason">{prose(firstLine(session.error?.message ?? statusWords(session)))}</span>
          <Ago at={session.updated_at} />
          <ContinueButton session={session} name={sessionName(session)} />
        </li>
      ))}
    </ul>
  </Part>
)

const mostRead = 8

/** Shows what the first of the running tasks do; of the others, what happens while somebody looks. */
const useActions = (items: readonly Session[]): void => {
  const ids = items
    .slice(0, mostRead)
    .map(({ id }) => id)
    .join(" ")
  useEffect(followActions, [])
  useEffect(() => {
    const closed = new AbortController()
    // What cannot be read is not shown: the status is.
    for (const id of ids.split(" ").filter((each) => each !== ""))
      void readAction(id, closed.signal).catch(() => undefined)
    return () => closed.abort()
  }, [ids])
}

const Running = ({ items }: { readonly items: readonly Session[] }) => {
  useActions(items)
  return (
    <Part name="Running">
      {items.length === 0 && <p class="quiet">Nothing runs.</p>}
      <ul class="lines">
        {items.map((session) => (
          <li key={session.id}>
            <a href={sessionLink(session.id)}>{sessionName(session)}</a>
            <span class="reason">
              {[
                currentAction(session, now.value) ?? statusWords(session),
                counted(session.steps_taken, "step"),
                money(session.usage.cost_usd),
              ].join(" · ")}
            </span>
            <Ago at={session.created_at} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

const Today = ({ items }: { readonly items: readonly Session[] }) => {
  const { usd, sessions: count, isLeast } = costToday(items, now.value, hasOlder.value)
  return (
    <p class="today">
      Today: <strong>{money(usd)}</strong>
      {isLeast ? " or more" : ""} in {counted(count, "session")}
    </p>
  )
}

/** What needs a person, what broke, what runs, and what it costs. */
export const Home = () => {
  const all = sessions.value
  const waiting = approvals.value
  if (hasNone.value)
    return (
      <div class="empty">
        <a class="button" href={startLink}>
          Start the first run
        </a>
        <KeyList />
      </div>
    )
  if (all === undefined || waiting === undefined) return <p class="empty">Reading the sessions …</p>
  return (
    <div id="home">
      <Today items={all} />
      <NeedsYou items={waiting} />
      <Failed items={failedSince(all, now.value)} />
      <Running items={runningNow(all, new Set(waiting.map(({ session_id: id }) => id)))} />
      <KeyList />
    </div>
  )
}
