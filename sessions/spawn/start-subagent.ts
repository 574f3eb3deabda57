import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { childSessionKey } from "../../domain/transcript/session-key.ts"
import { withSubagentTools } from "../../domain/tools/subagent-tools.ts"
import type { StartRequest } from "../start/start-request.ts"
import type { Environment } from "../../domain/environment.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { startSession } from "../start/start-session.ts"

export interface Subagent {
  readonly request: Omit<StartRequest, "cwd" | "isSubagent">
  /** The last word on the run's settings. */
  readonly adjust?: (snapshot: RunSnapshot, env: Environment) => RunSnapshot
  readonly warning?: string
}

/** Starts a session at depth 1 under no parent, and writes down who asked for it by which tool. */
export const startSubagent = async (
  context: SessionsContext,
  spawn: SpawnRequest,
  { request, adjust = (snapshot) => snapshot, warning }: Subagent,
): Promise<SpawnOutcome> => {
  let settings: RunSnapshot | undefined
  const resolving: SessionsContext = {
    ...context,
    resolveRun: async (loaded, wanted, env) => {
      const snapshot = await context.resolveRun(loaded, wanted, env)
      settings = adjust(withSubagentTools(snapshot, snapshot.subagents), env)
      return settings
    },
  }
  const metadata = { ...request.metadata, tool: spawn.call.tool, caller: spawn.caller }
  const { cwd, actor } = spawn
  const { sessionId, runId } = await startSession(resolving, { ...request, metadata, cwd, actor, isSubagent: true })
  await context.store.audit.record({
    sessionId,
    runId,
    action: "spawn",
    ...spawn.actor,
    detail: { tool: spawn.call.tool, agent: request.agent ?? "general" },
  })
  const childSessionKeyText = childSessionKey(request.agent ?? "general", "", sessionId)
  return {
    kind: "started",
    child: {
      runId,
      childSessionKey: childSessionKeyText,
      sessionId,
      ...(warning === undefined ? {} : { warning }),
    },
    model: settings?.model ?? "none",
    tools: settings?.tools ?? [],
    sandboxed: settings?.sandboxed ?? false,
  }
}
