import type { SessionEvent } from "../../contracts/event.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { visible } from "../../domain/text/visible.ts"
import { readPast } from "../api/event-stream.ts"
import { server } from "../api/server.ts"
import type { SessionTree, TranscriptRow } from "../api/shapes.ts"
import { DiffView } from "../parts/diff-view.tsx"
import { counted } from "../../domain/text/figures.ts"
import { stepLink } from "../state/address.ts"
import { type Previews, previewsOf } from "../state/previews.ts"
import { useAnswer } from "../parts/use-answer.ts"
import { type Change, reportedChanges } from "./changed-files.ts"

const mostAgents = 50

const subtree = (node: SessionTree): readonly SessionTree[] => [node, ...node.children.flatMap(subtree)]

const allRows = async (id: string): Promise<readonly TranscriptRow[]> => {
  const rows: TranscriptRow[] = []
  for (;;) {
    const page = await server.messages(id, rows.at(-1)?.seq ?? 0)
    rows.push(...page.items)
    if (page.next_cursor === null) return rows
  }
}

/** Steps above which the events of a session are not read: they are many. */
const longHistory = 100

/** Returns the previews of all calls that paused; none if they cannot be read, so that changes are shown as they are without them. */
const readPreviews = async (id: string): Promise<Previews> => {
  const events: SessionEvent[] = []
  const { signal } = new AbortController()
  try {
    const { last_event_id: lastId } = await server.target(id)
    await readPast(id, lastId, { signal, onEvent: (event) => void events.push(event) })
  } catch {
    return new Map()
  }
  return previewsOf(events)
}

const changesOf = async ({ id, steps_taken: steps }: SessionTree): Promise<ReturnType<typeof reportedChanges>> => {
  const rows = await allRows(id)
  const found = reportedChanges(id, rows)
  const isKnown = [...found.values()].flat().every(({ note }) => note === undefined)
  return isKnown || steps > longHistory ? found : reportedChanges(id, rows, await readPreviews(id))
}

interface Answer {
  readonly files: ReadonlyMap<string, readonly Change[]>
  readonly unread: number
}

const readChanges = async (id: string): Promise<Answer> => {
  const nodes = subtree(await server.tree(id))
  const files = new Map<string, readonly Change[]>()
  for (const node of nodes.slice(0, mostAgents))
    for (const [file, changes] of await changesOf(node)) files.set(file, [...(files.get(file) ?? []), ...changes])
  return { files, unread: Math.max(0, nodes.length - mostAgents) }
}

const ChangeView = ({
  file,
  change,
  own,
}: {
  readonly file: string
  readonly change: Change
  readonly own: string
}) => (
  <div class="change">
    <p class="who">
      <a href={stepLink(change.sessionId, change.step)}>
        {change.tool} at step {change.step}
        {change.sessionId === own ? "" : ` of ${change.sessionId}`}
      </a>
    </p>
    {change.note !== undefined && <p class="quiet">{change.note}</p>}
    {change.diff !== "" && (
      <DiffView
        diff={change.diff}
        label={`${visible(file)} at step ${change.step} of ${change.sessionId}`}
        file={file}
      />
    )}
  </div>
)

/** All files that a session and its sub-agents wrote with the tools for files. Commands can change more. */
export const Changes = ({ session }: { readonly session: SessionDetail }) => {
  const key = `${session.id} ${session.steps_taken} ${session.status}`
  const { answer, failure } = useAnswer(key, () => readChanges(session.id))
  if (answer === undefined) return <p class="empty">{failure ?? "Reading the changes …"}</p>
  const { files, unread } = answer
  return (
    <div class="view" role="region" aria-label="Changes" tabIndex={0}>
      <p class="quiet">
        {files.size === 0
          ? "This session and its sub-agents have written no file with Write, Edit, MultiEdit or apply_patch."
          : `${counted(files.size, "file")} written with Write, Edit, MultiEdit and apply_patch by this session and its sub-agents.`}{" "}
        What commands changed is not listed.
        {unread > 0 ? ` Not read: ${counted(unread, "further sub-agent")}.` : ""}
      </p>
      {[...files].map(([file, changes]) => (
        <details key={file} open={files.size <= 5}>
          <summary>
            <span class="title">{visible(file)}</span>
            <span class="outcome">{counted(changes.length, "change")}</span>
          </summary>
          {changes.map((change, index) => (
            <ChangeView key={index} file={file} change={change} own={session.id} />
          ))}
        </details>
      ))}
    </div>
  )
}
