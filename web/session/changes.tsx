import type { SessionDetail } from "../../contracts/session-detail.ts"
import { visible } from "../../domain/text/visible.ts"
import { server } from "../api/server.ts"
import type { SessionTree, TranscriptRow } from "../api/shapes.ts"
import { DiffView } from "../parts/diff-view.tsx"
import { counted } from "../shown/figures.ts"
import { stepLink } from "../state/address.ts"
import { type Change, changedFiles } from "./changed-files.ts"
import { useAnswer } from "./use-answer.ts"

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

interface Answer {
  readonly files: ReadonlyMap<string, readonly Change[]>
  readonly unread: number
}

const readChanges = async (id: string): Promise<Answer> => {
  const nodes = subtree(await server.tree(id))
  const files = new Map<string, readonly Change[]>()
  for (const node of nodes.slice(0, mostAgents))
    for (const [file, changes] of changedFiles(node.id, await allRows(node.id)))
      files.set(file, [...(files.get(file) ?? []), ...changes])
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
    <DiffView diff={change.diff} label={`${visible(file)} at step ${change.step} of ${change.sessionId}`} />
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
        {counted(files.size, "file")} written with Write, Edit and MultiEdit by this session and its sub-agents. What
        commands changed is not listed.
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
