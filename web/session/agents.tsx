import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { server } from "../api/server.ts"
import type { SessionTree } from "../api/shapes.ts"
import { StatusMark } from "../parts/status-mark.tsx"
import { counted } from "../../domain/text/figures.ts"
import { elapsed, money, totalTokensText } from "../shown/figures.ts"
import { prose } from "../shown/prose.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { now } from "../state/clock.ts"
import { sessionLink } from "../state/address.ts"
import { useAnswer } from "../parts/use-answer.ts"

const AgentRow = ({ node, current }: { readonly node: SessionTree; readonly current: string }) => (
  <li>
    <div class={`agent ${node.id === current ? "current" : ""}`}>
      <StatusMark status={node.status} />
      <a href={sessionLink(node.id)}>{prose(node.label ?? node.title ?? node.agent)}</a>
      <span>{statusWords(node)}</span>
      <span class="quiet">
        {prose(node.agent)} · {prose(node.model)} · {counted(node.steps_taken, "step")} · {totalTokensText(node.usage)}{" "}
        · {money(node.usage.cost_usd)} ·{" "}
        {elapsed(node.created_at, isFinal(node.status) ? Date.parse(node.updated_at) : now.value)}
      </span>
      {node.error !== null && <span class="failure">{prose(node.error.message)}</span>}
    </div>
    {node.children.length > 0 && (
      <ul>
        {node.children.map((child) => (
          <AgentRow key={child.id} node={child} current={current} />
        ))}
      </ul>
    )}
  </li>
)

const nodesOf = (node: SessionTree): readonly SessionTree[] => [node, ...node.children.flatMap(nodesOf)]

const total = (nodes: readonly SessionTree[]): string => {
  const costs = nodes.map(({ usage }) => usage.cost_usd)
  const known = costs.filter((cost) => cost !== null)
  const sum = money(known.reduce((left, right) => left + right, 0))
  return known.length === costs.length ? sum : `${sum} and more, since some prices are unknown`
}

/** The whole tree of a session, with the state and the cost of every agent. */
export const Agents = ({ session }: { readonly session: SessionDetail }) => {
  const key = `${session.root_session_id} ${Math.floor(now.value / 5_000)}`
  const { answer, failure } = useAnswer(key, () => server.tree(session.root_session_id))
  if (answer === undefined) return <p class="empty">{failure ?? "Reading the tree …"}</p>
  const nodes = nodesOf(answer)
  return (
    <div class="view" role="region" aria-label="Agents" tabIndex={0}>
      <p class="quiet">
        {counted(nodes.length, "agent")}, {total(nodes)} in total
      </p>
      <ul class="agents">
        <AgentRow node={answer} current={session.id} />
      </ul>
    </div>
  )
}
