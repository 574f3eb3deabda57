import { createHash } from "node:crypto"
import { toolsChangedOrdinal, toolsUnavailableOrdinal } from "../../../domain/run/run-event-ordinals.ts"
import type { ToolListWarning } from "../../../domain/tools/tool-list-change.ts"
import type { FoundMcpTools } from "../../../mcp-client/mcp-servers.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunScope } from "../../contract/run-scope.ts"

const maxNames = 50

/** Records, as events of the run, servers whose tools are not those that were pinned: once for each list. */
export const reportChangedTools = async (
  { store, redact, streamed }: Pick<AgentDependencies, "store" | "redact" | "streamed">,
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
  // What the session shows already has happened before.
  await streamed.flush(sessionId)
  await store.events.append(sessionId, events)
}

type Missing = Pick<FoundMcpTools, "down" | "unusable">

const shownCharacters = 2_000

interface MissingTools {
  readonly server: string
  /** The tool that is missing; absent if it is more than one. */
  readonly tool?: string
  readonly message: string
  /** What is told once of the server. */
  readonly subject?: string
}

/** Returns what a run lacks of its MCP servers, each with the reason. */
const missingTools = ({ down, unusable = [] }: Missing): readonly MissingTools[] => [
  ...down.map(({ server, problem }) => ({ server, message: problem })),
  ...unusable.map((report) => ({ ...report, subject: report.tool ?? report.message })),
]

/** Records, as events of the run, which tools of its MCP servers it lacks: once for each server, and for each tool that cannot be used. */
export const reportMissingTools = async (
  { store, redact, streamed }: Pick<AgentDependencies, "store" | "redact" | "streamed">,
  { sessionId, runId }: Pick<RunScope, "sessionId" | "runId">,
  found: Missing,
): Promise<void> => {
  const events = missingTools(found).map(({ server, tool, message, subject }) => ({
    type: "tools-unavailable" as const,
    runId,
    ordinal: toolsUnavailableOrdinal(
      createHash("sha256")
        .update(JSON.stringify([server, subject]))
        .digest("hex"),
    ),
    data: { server, ...(tool === undefined ? {} : { tool }), message: redact(message).slice(0, shownCharacters) },
  }))
  if (events.length === 0) return
  await streamed.flush(sessionId)
  await store.events.append(sessionId, events)
}

/** Returns what a model is told of the servers that a run lacks; undefined if all answer. */
export const missingServersNote = (
  { down }: Pick<Missing, "down">,
  redact: AgentDependencies["redact"],
): string | undefined =>
  down.length === 0
    ? undefined
    : `(Tools are missing: ${down.map(({ problem }) => redact(problem).slice(0, shownCharacters)).join("; ")})`
