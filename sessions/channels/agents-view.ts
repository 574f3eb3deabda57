import { describeAgents } from "../../domain/prompts/describe-agents.ts"
import type { Status } from "../../contracts/status.ts"
import { isLive } from "./live-binding.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { BindingRow, SessionRow, Store } from "../../store/store.ts"

/** A session that is active or bound to a thread. */
export interface AgentSession {
  readonly id: string
  readonly status: Status
  readonly label: string | null
  /** The thread that it is bound to; null: none. */
  readonly thread: { readonly channel: string; readonly key: string } | null
}

/** A profile, with the sessions that run as it. */
export type AgentView = ReturnType<typeof describeAgents>[number] & { readonly sessions: readonly AgentSession[] }

const boundRows = async (
  { sessions }: Pick<Store, "sessions">,
  bindings: readonly BindingRow[],
): Promise<readonly SessionRow[]> =>
  (await Promise.all(bindings.map(({ sessionId }) => sessions.get(sessionId)))).filter((row) => row !== undefined)

const sessionOf = (row: SessionRow, binding: BindingRow | undefined): AgentSession => ({
  id: row.id,
  status: row.status,
  label: row.label,
  thread: binding === undefined ? null : { channel: binding.channel, key: binding.threadKey },
})

/** Returns the profiles with their sessions that are open or bound to a thread; of these only those that are `within`, if it is given. */
export const listAgents = async (
  { loaded, store }: Pick<SessionsContext, "loaded"> & { readonly store: Pick<Store, "sessions" | "bindings"> },
  within?: ReadonlySet<string>,
): Promise<readonly AgentView[]> => {
  const isShown = (row: SessionRow): boolean => row.deletedAt === null && (within?.has(row.id) ?? true)
  const bindings = (await store.bindings.list()).filter((binding) => isLive(binding))
  const open = (await store.sessions.listOpen()).filter(isShown)
  const bound = (await boundRows(store, bindings)).filter(isShown)
  const shown = [...new Map([...open, ...bound].map((row) => [row.id, row])).values()]
  return describeAgents(loaded.config.agents, open).map((agent) => ({
    ...agent,
    sessions: shown
      .filter((row) => row.agent === agent.id)
      .map((row) =>
        sessionOf(
          row,
          bindings.find(({ sessionId }) => sessionId === row.id),
        ),
      ),
  }))
}
