import { toolsChangedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import type { ToolListWarning } from "../../domain/tools/tool-list-change.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

const maxNames = 50

/** Records, as events of the run, servers whose tools are not those that were pinned: once for each list. */
export const reportChangedTools = async (
  { store, redact }: Pick<AgentDependencies, "store" | "redact">,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
  changed: readonly ToolListWarning[],
): Promise<void> => {
  if (changed.length === 0) return
  const cut = (names: readonly string[]): readonly string[] => names.slice(0, maxNames).map(redact)
  const events = changed.map((warning) => ({
    type: "tools-changed" as const,
    runId,
    ordinal: toolsChangedOrdinal(warning.list),
    data: {
      server: warning.server,
      message: redact(warning.message),
      added: cut(warning.added),
      removed: cut(warning.removed),
      changed: cut(warning.changed),
    },
  }))
  await store.events.append(sessionId, events)
}
