import { dynamicSubagentTaskInputSchema } from "../../../contracts/delegation/tasks-input.ts"
import { DelegationRefusal } from "../../../domain/delegation/delegation-refusal.ts"
import type { SpawnRefusal } from "../../../domain/delegation/spawn-refusals.ts"
import { taskStartRefused } from "../../../domain/delegation/spawn-result.ts"
import { isAllowedTool } from "../../../domain/tools/tool-names.ts"
import { argumentsOf, type DelegationHandler } from "../delegation-call.ts"
import { refuseByLimits } from "./child-share.ts"
import { sandboxProblem, spawnChild } from "./spawn-child.ts"

/** Handles `dynamic_subagent_task`: starts a child with its own instructions and tools, and returns at once. */
export const spawnDynamicTask: DelegationHandler = async (delegation) => {
  const { snapshot } = delegation
  const input = argumentsOf(dynamicSubagentTaskInputSchema, delegation)
  const missing = input.tools.filter((name) => !isAllowedTool(snapshot, name))
  if (missing.length > 0)
    throw new DelegationRefusal(
      "VALIDATION_ERROR",
      `you do not have ${missing.join(", ")} yourself; yours: ${snapshot.tools.join(", ")}`,
    )
  const refuse = (refusal: SpawnRefusal) => ({ content: taskStartRefused(refusal).text, isError: true })
  const place = refuseByLimits(delegation)
  if (place !== undefined) return refuse(place)
  const problem = input.enable_sandbox ? await sandboxProblem(delegation) : undefined
  if (problem !== undefined) throw new DelegationRefusal("TASK_START_FAILED", `no sandbox is available: ${problem}`)
  return spawnChild(delegation, { call: { tool: "dynamic_subagent_task", input }, use: "background", refuse })
}
