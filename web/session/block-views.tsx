import type { Session } from "../../contracts/session/session.ts"
import { ForkButton } from "../parts/fork-button.tsx"
import { MarkdownView } from "../parts/markdown-view.tsx"
import { prose } from "../shown/prose.ts"
import { sessionLink, stepLink } from "../state/address.ts"
import { type Block, type ReportedChild, readReport, toolCounts } from "../state/blocks.ts"
import { CallView } from "./call-view.tsx"
import type { ShownCallState } from "./call-state.ts"
import type { CallItem } from "../state/blocks.ts"
import type { Previews } from "../state/previews.ts"

/** What blocks need to know of their session. */
export interface BlockContext {
  readonly sessionId: string
  readonly previews: Previews
  /** The call to which the address leads. */
  readonly linked: CallItem | undefined
  readonly stateOf: (item: CallItem) => ShownCallState
  readonly startedBy: (item: CallItem) => readonly Session[]
  /** Returns whether the fork was made. */
  readonly onFork: (step: number, message: string) => Promise<boolean>
}

const sources: Readonly<Record<string, string>> = {
  instruction: "Instruction",
  follow_up: "Follow-up",
  input: "Answer to its question",
  steering: "Steering",
  announce: "Sub-agent",
  notice: "Message from Adjutant",
  compaction: "Context shortened",
}

const ChildCard = ({ report }: { readonly report: ReportedChild }) => (
  <div class={`row child ${report.status === "completed successfully" ? "ok" : "bad"}`}>
    <p class="who">
      <span>
        Sub-agent {prose(report.label)}: {report.status}
      </span>
      {report.childId !== undefined && <a href={sessionLink(report.childId)}>Open {report.childId}</a>}
    </p>
    {report.reason !== undefined && <p class="failure">{prose(report.reason)}</p>}
    <details>
      <summary>
        <span class="title">Result of {prose(report.label)}</span>
      </summary>
      <MarkdownView text={report.result} />
    </details>
  </div>
)

/** The text that replaces the earlier conversation for the model. People still see the earlier rows, above it. */
const CompactionBlock = ({ block }: { readonly block: Extract<Block, { kind: "user" }> }) => (
  <div class="row compaction" data-seq={block.seq}>
    <details>
      <summary>
        <span class="title">Context shortened: what the model gets instead of the rows above</span>
      </summary>
      <div class="text">{prose(block.text)}</div>
    </details>
  </div>
)

const UserBlock = ({ block }: { readonly block: Extract<Block, { kind: "user" }> }) => {
  const report = block.source === "announce" ? readReport(block.text) : undefined
  if (report !== undefined) return <ChildCard report={report} />
  if (block.source === "compaction") return <CompactionBlock block={block} />
  return (
    <div class={`row user ${block.source}`} data-seq={block.seq}>
      <p class="who">{sources[block.source] ?? block.source}</p>
      <div class="text">{prose(block.text)}</div>
    </div>
  )
}

/** Finished calls are folded from this many on. */
const fewCalls = 4

const Calls = ({ items, context }: { readonly items: readonly CallItem[]; readonly context: BlockContext }) => {
  const { sessionId, previews, linked, stateOf, startedBy } = context
  const views = (some: readonly CallItem[]) =>
    some.map((item, index) => (
      <CallView
        key={`${item.seq}.${item.call.id}.${index}`}
        sessionId={sessionId}
        item={item}
        state={stateOf(item)}
        previews={previews}
        isLinked={item === linked}
        started={startedBy(item)}
      />
    ))
  // A sub-agent may still work after the call that started it has ended.
  const isDone = (item: CallItem): boolean => item.result !== undefined && startedBy(item).length === 0
  const done = items.filter(isDone)
  if (done.length < fewCalls) return <>{views(items)}</>
  const failed = done.filter((item) => stateOf(item).kind === "bad").length
  return (
    <>
      <details class="group" open={linked !== undefined && done.includes(linked)}>
        <summary>
          <span class="title">
            {done.length} calls: {prose(toolCounts(done))}
          </span>
          <span class={`outcome ${failed > 0 ? "bad" : "ok"}`}>{failed > 0 ? `${failed} not ok` : "ok"}</span>
        </summary>
        <div class="folded">{views(done)}</div>
      </details>
      {views(items.filter((item) => !isDone(item)))}
    </>
  )
}

const AssistantBlock = ({
  block,
  context,
}: {
  readonly block: Extract<Block, { kind: "assistant" }>
  readonly context: BlockContext
}) => {
  const { steps, parts, calls, model, seq } = block
  const last = steps.at(-1) ?? 0
  const name = steps.length === 1 ? `step ${last}` : `steps ${steps[0]}–${last}`
  return (
    <div class="row assistant" data-seq={seq}>
      <p class="who">
        <a href={stepLink(context.sessionId, last)}>{name}</a>
        <span>{prose(model)}</span>
        <ForkButton step={last} onFork={(message) => context.onFork(last, message)} />
      </p>
      {parts.map((part, index) =>
        part.kind === "text" ? (
          <MarkdownView key={index} text={part.text} />
        ) : (
          <details key={index} class="reasoning">
            <summary>
              <span class="title">Reasoning of {name}</span>
            </summary>
            <pre tabIndex={0} role="group" aria-label={`Reasoning of ${name}`}>
              {prose(part.text)}
            </pre>
          </details>
        ),
      )}
      <Calls items={calls} context={context} />
    </div>
  )
}

/** One block of the transcript. */
export const BlockView = ({ block, context }: { readonly block: Block; readonly context: BlockContext }) =>
  block.kind === "user" ? <UserBlock block={block} /> : <AssistantBlock block={block} context={context} />
