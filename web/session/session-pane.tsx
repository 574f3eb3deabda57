import { useEffect, useState } from "preact/hooks"
import type { Session } from "../../contracts/session/session.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { Changes } from "../changes/changes.tsx"
import { MoreSteps, type Raise, RaiseLimit } from "../parts/raise-limit.tsx"
import { RetryButton } from "../parts/retry-button.tsx"
import { continueText, mayHaveMoreSteps, raisableLimits } from "../shown/raisable-limits.ts"
import { prose } from "../shown/prose.ts"
import { mayApprove } from "../state/caller.ts"
import { waitingApproval, approvals, approvalsRefresher } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { type OpenSession, openSession } from "../state/open-session.ts"
import { homeLink, reviewLink, type Route, sessionLink, type Tab, tabs } from "../state/address.ts"
import { go } from "../state/route.ts"
import { sessionsRefresher } from "../state/sessions.ts"
import { Agents } from "./agents.tsx"
import { OtherModel } from "./banner/other-model.tsx"
import { bannerOf } from "./banner/banner-texts.ts"
import { Composer } from "./composer.tsx"
import { Head } from "./head.tsx"
import { Timeline } from "./timeline.tsx"
import { Transcript } from "./transcript.tsx"

const useOpenSession = (id: string): OpenSession | undefined => {
  const [open, setOpen] = useState<OpenSession>()
  useEffect(() => {
    const made = openSession(id)
    setOpen(made)
    return made.close
  }, [id])
  // A decision on one of several calls is an event only when the run goes on.
  const waiting = approvals.value
  useEffect(() => open?.refresher.soon(), [open, waiting])
  return open?.id === id ? open : undefined
}

/** A sub-agent that waits for a person, by the name that its parent gave it, with the way to its review. */
const WaitingChild = ({ id, children }: { readonly id: string; readonly children: readonly Session[] }) => {
  const child = children.find((each) => each.id === id)
  const approval = waitingApproval(id)
  const name = prose(child?.label ?? child?.title ?? approval?.title ?? id)
  return (
    <>
      {" "}
      <a href={sessionLink(id)}>{name}</a>
      {approval !== undefined && (
        <>
          {" "}
          <a class="button decide" href={reviewLink(approval.checkpoint_id)} aria-label={`Review ${name}`}>
            Review
          </a>
        </>
      )}
    </>
  )
}

const BannerView = ({
  open,
  session,
  onRetry,
  onContinue,
}: {
  readonly open: OpenSession
  readonly session: SessionDetail
  /** Continues with higher limits, or with another model. */
  readonly onContinue: (raise: Raise & { readonly model?: string }) => Promise<unknown>
  /** Returns whether the request was accepted. */
  readonly onRetry: () => Promise<boolean>
}) => {
  const banner = bannerOf(session, open.events.value, now.value)
  const limits = raisableLimits(session)
  if (banner === undefined) return null
  return (
    <div class={`banner ${banner.kind}`} role={banner.kind === "bad" ? "alert" : "status"}>
      {banner.text}
      {banner.sessionIds?.map((id) => (
        <WaitingChild key={id} id={id} children={open.children.value} />
      ))}
      {mayHaveMoreSteps(limits, mayApprove.value) && <MoreSteps onContinue={onContinue} />}
      {limits.length > 0 && <RaiseLimit limits={limits} mayApprove={mayApprove.value} onContinue={onContinue} />}
      {session.status === "failed" && (
        <OtherModel session={session} onContinue={(model) => onContinue({ message: continueText, model })} />
      )}
      {banner.providerWait !== undefined && <RetryButton wait={banner.providerWait} onRetry={onRetry} />}
    </div>
  )
}

const Tabs = ({ id, tab }: { readonly id: string; readonly tab: Tab }) => (
  <nav class="tabs" aria-label="Views of the session">
    {tabs.map((each) => (
      <a key={each} href={sessionLink(id, each)} {...(each === tab ? { "aria-current": "page" } : {})}>
        {each[0]?.toUpperCase()}
        {each.slice(1)}
      </a>
    ))}
  </nav>
)

/** Sends a request about a session; what it changes is shown at once. Returns undefined, and shows why, if it was refused. */
const useActions = (open: OpenSession | undefined) => {
  const [failure, setFailure] = useState<string>()
  const act = async <T,>(ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      const answer = await ask()
      setFailure(undefined)
      await Promise.all([open?.refresher.now(), sessionsRefresher.now(), approvalsRefresher.now()])
      return answer
    } catch (error) {
      setFailure(errorMessage(error))
      return undefined
    }
  }
  return { failure, act }
}

/** A session: its head, what a person has to know first, and one of its views. */
export const SessionPane = ({ id, tab, ...place }: Extract<Route, { view: "session" }>) => {
  const open = useOpenSession(id)
  const { failure, act } = useActions(open)
  const session = open?.detail.value
  if (open?.isMissing.value === true)
    return (
      <div class="empty">
        <p>There is no session {id}. It may have been deleted.</p>
        <a class="button" href={homeLink}>
          All sessions
        </a>
      </div>
    )
  if (open === undefined || session === undefined) return <p class="empty">Reading the session …</p>
  const fork = async (at: number, message: string): Promise<boolean> => {
    const made = await act(() => server.fork(id, at, message))
    if (made !== undefined) go(sessionLink(made.id))
    return made !== undefined
  }
  const withdraw = (messageId: string): void => void act(() => server.withdraw(id, messageId))
  return (
    <section id="transcript" aria-label="Session">
      <BannerView
        open={open}
        session={session}
        onContinue={(raise) => act(() => server.say(id, { type: "message", ...raise }))}
        onRetry={async () => (await act(() => server.retry(id))) !== undefined}
      />
      <Head session={session} onCancel={() => void act(() => server.cancel(id))} />
      <Tabs id={id} tab={tab} />
      {tab === "transcript" && (
        <Transcript open={open} session={session} place={place} onFork={fork} onWithdraw={withdraw} />
      )}
      {tab === "timeline" && <Timeline open={open} session={session} />}
      {tab === "agents" && <Agents session={session} />}
      {tab === "changes" && <Changes session={session} />}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      <Composer
        session={session}
        onSay={async (type, message) => (await act(() => server.say(id, { type, message }))) !== undefined}
      />
    </section>
  )
}
