import { refuseByPlace } from "../../domain/delegation/spawn-refusals.ts"
import { assertNever } from "../../domain/assert-never.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { spawnDynamicTask } from "./spawn-dynamic-task.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { spawnSession } from "./spawn-session.ts"
import { spawnTask } from "./spawn-task.ts"
import { activeSpawned } from "./spawned-by.ts"

/** Who calls from outside stands at depth 0. */
const callerDepth = 0

/**
 * A delegation tool called from outside any run: starts a session at depth 1 under no parent. Refusals by the rules for sub-agents are data.
 * @throws AdjutantError of the resolution, `temporal_unavailable`
 */
export const spawn = async (context: SessionsContext, request: SpawnRequest): Promise<SpawnOutcome> => {
  const { maxSpawnDepth: maxDepth, maxChildrenPerAgent: maxChildren } = context.loaded.config.subagents
  if (request.isPerson !== true) {
    const activeChildren = await activeSpawned(context, request.caller, maxChildren)
    const refusal = refuseByPlace({ depth: callerDepth, maxDepth, activeChildren, maxChildren })
    if (refusal !== undefined) return { kind: "refused", refusal }
  }
  switch (request.call.tool) {
    case "Task":
      return await spawnTask(context, request, request.call.input)
    case "dynamic_subagent_task":
      return await spawnDynamicTask(context, request, request.call.input)
    case "sessions_spawn":
      return await spawnSession(context, request, request.call.input)
    default:
      return assertNever(request.call)
  }
}
