import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { sandboxModeOf } from "../../domain/approval/disposition.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { mergeFacts } from "../worktree/merge-facts.ts"
import type { CallSurroundings } from "./classify-calls.ts"
import { offeredTools } from "./offered-tools.ts"

/** Returns what the classification of a run's calls depends on, on this worker. */
export const callSurroundings = async (
  deps: AgentDependencies,
  snapshot: RunSnapshot,
  sessionId: string,
): Promise<CallSurroundings> => ({
  snapshot,
  ...(await offeredTools(deps, snapshot)),
  sandbox: await deps.sandboxFor(sandboxModeOf("Bash", snapshot)),
  redact: deps.redact,
  floor: deps.floor,
  mergeFor: (call) => mergeFacts({ deps, snapshot, sessionId }, call),
  protectedChange: (path) => deps.protectedChange(snapshot, path),
})
