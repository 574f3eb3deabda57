import { useMemo } from "preact/hooks"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { StatusMark } from "../parts/status-mark.tsx"
import { VirtualList } from "../parts/virtual-list.tsx"
import { HeldCards } from "../review/held-cards.tsx"
import { lastLines } from "../../domain/text/shown/command-output.ts"
import { visible } from "../../domain/text/visible.ts"
import { callTitlesOf } from "../shown/call-parts.ts"
import { prose } from "../shown/prose.ts"
import { waitingApproval } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { liveTextOf } from "../state/live-text.ts"
import type { PlaceInTranscript } from "../state/address.ts"
import type { OpenSession } from "../state/open-session.ts"
import { BlockView } from "./block-views.tsx"
import { blocksOf, type CallItem, startedChildren, indexOfPlace, linkedCall } from "../state/blocks.ts"
import { callState } from "./call-state.ts"
import { previewsOf } from "../state/previews.ts"
import { workingText } from "./events/working-text.ts"

/** Drawn every second, unlike the transcript. */
const Working = ({
  session,
  events,
  titles,
}: {
  readonly session: SessionDetail
  readonly events: Parameters<typeof workingText>[1]
  readonly titles: ReadonlyMap<string, string>
}) => {
  const text = workingText(session, events, now.value, titles)
  if (text === undefined) return null
  return (
    <p class="row working quiet">
      <StatusMark status="running" /> {text}
    </p>
  )
}

const shownLines = 10

/** The last lines that running calls have written. */
const Output = ({ output }: { readonly output: OpenSession["output"]["value"] }) => (
  <>
    {[...output].map(([id, text]) => (
      <pre key={id} class="row output" tabIndex={0} role="log" aria-label={`Output of ${id}`}>
        {visible(lastLines(text, shownLines))}
      </pre>
    ))}
  </>
)

/** What the model thinks before it answers, folded. */
const Thinking = ({ text }: { readonly text: string }) => (
  <details class="row thinking">
    <summary>
      <span class="title">Thinking …</span>
    </summary>
    <div class="text">{prose(text)}</div>
  </details>
)

/** What somebody has sent, and no model has read yet. */
const Queued = ({
  messages,
  isPaused,
  onWithdraw,
}: {
  readonly messages: SessionDetail["queued_messages"]
  readonly isPaused: boolean
  readonly onWithdraw: (messageId: string) => void
}) => (
  <>
    {messages.map(({ id, type, text }) => (
      <div key={id} class="row user queued" data-queued={id}>
        <p class="who">
          <span>
            {type === "steering" ? "Steering" : "Follow-up"} · queued:{" "}
            {type === "follow_up"
              ? "begins the next run"
              : isPaused
                ? "read when the run goes on"
                : "read after this answer or call"}
          </span>
          <button class="link" onClick={() => onWithdraw(id)}>
            Take back
          </button>
        </p>
        <div class="text">{prose(text)}</div>
      </div>
    ))}
  </>
)

/** What was said and done in a session, and what waits for a person below it. */
export const Transcript = ({
  open,
  session,
  place,
  onFork,
  onWithdraw,
}: {
  readonly open: OpenSession
  readonly session: SessionDetail
  /** What is shown first instead of the end. */
  readonly place: Partial<PlaceInTranscript>
  readonly onFork: (step: number, message: string) => Promise<boolean>
  readonly onWithdraw: (messageId: string) => void
}) => {
  const rows = open.rows.value ?? []
  const blocks = useMemo(() => blocksOf(rows), [rows])
  const events = open.events.value
  const previews = useMemo(() => previewsOf(events), [events])
  const latestSeq = rows.findLast(({ message }) => message.role === "assistant")?.seq ?? 0
  const titles = useMemo(() => callTitlesOf(rows), [rows])
  const live = open.live.value
  const thinking = open.thinking.value
  const children = open.children.value
  const approval = waitingApproval(session.id)
  const shownIndex = indexOfPlace(blocks, place)
  const context = {
    linked: useMemo(() => linkedCall(blocks, place), [blocks, place.row, place.call]),
    sessionId: session.id,
    previews,
    stateOf: (item: Parameters<typeof callState>[0]) =>
      callState(item, session, { isLatest: item.seq === latestSeq, previews }),
    startedBy: (item: CallItem) => startedChildren(item, children),
    onFork,
  }
  return (
    <VirtualList
      items={blocks}
      keyOf={({ seq }) => seq}
      estimate={120}
      render={(block) => <BlockView block={block} context={context} />}
      label="Transcript"
      {...(shownIndex === undefined ? {} : { showIndex: shownIndex })}
    >
      {thinking !== undefined && <Thinking text={liveTextOf(thinking)} />}
      {live !== undefined && (
        <div class="row assistant streaming">
          <div class="text">{prose(liveTextOf(live))}</div>
        </div>
      )}
      {live === undefined && <Working session={session} events={events} titles={titles} />}
      {session.status === "running" && <Output output={open.output.value} />}
      <Queued messages={session.queued_messages} isPaused={session.status === "paused"} onWithdraw={onWithdraw} />
      <HeldCards items={approval === undefined ? [] : [approval]} />
    </VirtualList>
  )
}
