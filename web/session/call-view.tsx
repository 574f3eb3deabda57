import { useState } from "preact/hooks"
import { visible } from "../../domain/text/visible.ts"
import { CallArguments } from "../parts/call-arguments.tsx"
import { DiffView } from "../parts/diff-view.tsx"
import { callTitle } from "../shown/call-parts.ts"
import { sessionLink } from "../state/address.ts"
import type { CallItem } from "./blocks.ts"
import type { CallState } from "./call-state.ts"
import { MediaList } from "./media-list.tsx"
import { callKey, type Previews } from "./previews.ts"

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

/** The session that a delegation call started, as its result names it. */
const childOf = ({ call, result }: CallItem): string | undefined =>
  /spawn|task/i.test(call.name)
    ? /"(?:child_?session_?id|session_?id|task_?id)":\s*"([\w-]+)"/i.exec(result?.content ?? "")?.[1]
    : undefined

export const CallView = ({
  sessionId,
  item,
  state,
  previews,
}: {
  readonly sessionId: string
  readonly item: CallItem
  readonly state: CallState
  readonly previews: Previews
}) => {
  const [isOpen, setOpen] = useState(false)
  const { call, result } = item
  const shown = { name: call.name, arguments: call.arguments ?? { arguments: call.raw_arguments ?? "" } }
  const title = callTitle(shown)
  const preview = previews.get(callKey(item.seq, call.id))
  const child = childOf(item)
  return (
    <>
      <details
        class="call-row"
        data-call={call.id}
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          <span class="title">{title}</span>
          <span class={`outcome ${state.kind}`}>{state.text}</span>
        </summary>
        {isOpen && preview?.diff !== undefined && <DiffView diff={preview.diff} label={title} />}
        {isOpen && preview?.diff === undefined && <CallArguments call={shown} />}
        {isOpen && result !== undefined && <LongText text={result.content} label={title} />}
        {child !== undefined && (
          <a class="link" href={sessionLink(child)}>
            Open the sub-agent {child}
          </a>
        )}
      </details>
      {result?.media !== undefined && <MediaList sessionId={sessionId} items={result.media} about={title} />}
    </>
  )
}
