import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { collectFacts } from "../approval/call-facts.ts"
import { mergeFacts } from "../worktree/merge-facts.ts"
import type { CallSurroundings } from "./classify-calls.ts"
import { delegationOf, offeredDelegation } from "./offered-delegation.ts"
import { offeredSpecs, offeredTools } from "./offered-tools.ts"

/** Returns what the classification of a run's calls depends on, on this worker. */
export const callSurroundings = async (
  deps: AgentDependencies,
  snapshot: RunSnapshot,
  sessionId: string,
): Promise<CallSurroundings> => ({
  snapshot,
  ...(await offeredTools(deps, snapshot)),
  redact: deps.redact,
  factsOf: (call) => collectFacts(deps, snapshot, call),
  mergeFor: (call) => mergeFacts({ deps, snapshot, sessionId }, call),
  otherNames: async () => {
    const session = delegationOf(snapshot).length === 0 ? undefined : await deps.store.sessions.get(sessionId)
    return [...offeredSpecs(snapshot, []), ...offeredDelegation(snapshot, session?.depth ?? 0)].map(({ name }) => name)
  },
})
