import { describeAgents } from "../../domain/profiles/describe-agents.ts"
import type { AgentListItem } from "../../contracts/http/agents.ts"
import { profileSource } from "../profiles/read-profile.ts"
import { currentProfiles, type ProfilesContext } from "../profiles/stored-profiles.ts"
import { isLive } from "../delivery/live-binding.ts"
import type { BindingRow, SessionRow, Store } from "../../store/store.ts"

const boundRows = async (
  { sessions }: Pick<Store, "sessions">,
  bindings: readonly BindingRow[],
): Promise<readonly SessionRow[]> =>
  (await Promise.all(bindings.map(({ sessionId }) => sessions.get(sessionId)))).filter((row) => row !== undefined)

const sessionOf = (row: SessionRow, binding: BindingRow | undefined): AgentListItem["sessions"][number] => ({
  id: row.id,
  status: row.status,
  label: row.label,
  thread: binding === undefined ? null : { channel: binding.channel, key: binding.threadKey },
})

/** Returns the profiles with their sessions that are open or bound to a thread; of these only those that are `within`, if it is given. */
export const listAgents = async (
  context: ProfilesContext & { readonly store: Pick<Store, "profiles" | "sessions" | "bindings"> },
  within?: ReadonlySet<string>,
): Promise<readonly AgentListItem[]> => {
  const { store } = context
  const isShown = (row: SessionRow): boolean => row.deletedAt === null && (within?.has(row.id) ?? true)
  const bindings = (await store.bindings.list()).filter((binding) => isLive(binding))
  const open = (await store.sessions.listOpen()).filter(isShown)
  const bound = (await boundRows(store, bindings)).filter(isShown)
  const shown = [...new Map([...open, ...bound].map((row) => [row.id, row])).values()]
  const { agents, stored } = await currentProfiles(context)
  return describeAgents(agents, open).map((agent) => ({
    ...agent,
    source: profileSource(agent.id, context, stored.has(agent.id)),
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
