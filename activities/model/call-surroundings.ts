import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { collectFacts } from "../approval/call-facts.ts"
import { mergeFacts } from "../worktree/merge-facts.ts"
import type { CallSurroundings } from "./classify-calls.ts"
import { delegationOf, offeredDelegation } from "./offer/offered-delegation.ts"
import { fixedNames } from "./offer/fixed-tools.ts"
import { closingSpecs, offeredTools } from "./offer/offered-tools.ts"
import type { RunScope } from "../contract/run-scope.ts"

/** Returns what the classification of a run's calls depends on, on this worker. */
export const callSurroundings = async (
  deps: AgentDependencies,
  snapshot: RunSnapshot,
  scope: Pick<RunScope, "sessionId" | "runId">,
): Promise<CallSurroundings> => ({
  snapshot,
  ...(await offeredTools(deps, snapshot)),
  listedNames: () => fixedNames(deps, scope),
  redact: deps.redact,
  factsOf: (call) => collectFacts(deps, snapshot, call),
  mergeFor: (call) => mergeFacts({ deps, snapshot, sessionId: scope.sessionId }, call),
  otherNames: async () => {
    const session = delegationOf(snapshot).length === 0 ? undefined : await deps.store.sessions.get(scope.sessionId)
    return [...closingSpecs(snapshot), ...offeredDelegation(snapshot, session?.depth ?? 0)].map(({ name }) => name)
  },
})
