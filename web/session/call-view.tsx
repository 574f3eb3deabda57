import { useEffect, useRef, useState } from "preact/hooks"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { Session } from "../../contracts/session/session.ts"
import { visible } from "../../domain/text/visible.ts"
import { CallArguments } from "../parts/call-arguments.tsx"
import { DiffView } from "../parts/diff-view.tsx"
import { StatusMark } from "../parts/status-mark.tsx"
import { callTitle, type ShownCall } from "../shown/call-parts.ts"
import { prose } from "../shown/prose.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { rowLink, sessionLink } from "../state/address.ts"
import type { CallItem } from "../state/blocks.ts"
import type { ShownCallState } from "./call-state.ts"
import { MediaList } from "./media-list.tsx"
import { previewKey, type Previews } from "../state/previews.ts"

const mostShown = 20_000

/** A long text: its beginning, and the rest when it is asked for. */
const LongText = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : text.slice(0, mostShown)
  return (
    <>
      <pre class="result" tabIndex={0} role="group" aria-label={`Result: ${label}`}>
        {visible(shown)}
      </pre>
      {shown.length < text.length && (
        <button class="link" onClick={() => setWhole(true)}>
          Show the other {text.length - shown.length} characters of {label}
        </button>
      )}
    </>
  )
}

/** A sub-agent that a call started, and how it stands now: the call says only that it was started. */
const ChildLine = ({ child }: { readonly child: Session }) => (
  <p class={`child-line ${child.status}`}>
    <StatusMark status={child.status} />
    <a href={sessionLink(child.id)}>{prose(child.label ?? child.title ?? child.id)}</a>
    <span class="status-text">{statusWords(child)}</span>
    <span class="quiet">{child.id}</span>
    {child.error !== null && <span class="failure">{prose(child.error.message)}</span>}
  </p>
)

/** What a call changes or says, its result, and the address that leads to it. */
const CallBody = ({
  sessionId,
  item: { seq, call, result },
  shown,
  title,
  preview,
}: {
  readonly sessionId: string
  readonly item: CallItem
  readonly shown: ShownCall
  readonly title: string
  readonly preview: CallPreview | undefined
}) => (
  <>
    {preview?.diff === undefined ? (
      <CallArguments call={shown} />
    ) : (
      <DiffView diff={preview.diff} label={title} file={preview.file?.path} />
    )}
    {result !== undefined && <LongText text={result.content} label={title} />}
    <a class="quiet" href={rowLink(sessionId, seq, call.id)}>
      Link to this call
    </a>
  </>
)

export const CallView = ({
  sessionId,
  item,
  state,
  previews,
  isLinked,
  started,
}: {
  readonly sessionId: string
  readonly item: CallItem
  readonly state: ShownCallState
  readonly previews: Previews
  /** The address leads to it. */
  readonly isLinked: boolean
  /** The sub-agents that the call started. */
  readonly started: readonly Session[]
}) => {
  const [isOpen, setOpen] = useState(isLinked)
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!isLinked) return
    setOpen(true)
    place.current?.scrollIntoView({ block: "start" })
  }, [isLinked])
  const { call, result } = item
  const shown = { name: call.name, arguments: call.arguments ?? { arguments: call.raw_arguments ?? "" } }
  const title = callTitle(shown)
  return (
    <>
      <details
        ref={place}
        class={isLinked ? "call-row linked" : "call-row"}
        data-call={call.id}
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          <span class="title">{title}</span>
          {started.length === 0 ? (
            <span class={`outcome ${state.kind}`}>{state.text}</span>
          ) : (
            <span class="outcome">started</span>
          )}
        </summary>
        {isOpen && (
          <CallBody {...{ sessionId, item, shown, title }} preview={previews.get(previewKey(item.seq, call.id))} />
        )}
      </details>
      {started.map((child) => (
        <ChildLine key={child.id} child={child} />
      ))}
      {result?.media !== undefined && <MediaList sessionId={sessionId} items={result.media} about={title} />}
    </>
  )
}
