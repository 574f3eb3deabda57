import { runCommandTaskInputSchema } from "../../../contracts/delegation/tasks-input.ts"
import { DelegationRefusal } from "../../../domain/delegation/delegation-refusal.ts"
import type { SpawnRefusal } from "../../../domain/delegation/spawn-refusals.ts"
import { taskStartRefused } from "../../../domain/delegation/spawn-result.ts"
import { isAllowedTool } from "../../../domain/tools/tool-names.ts"
import { argumentsOf, type DelegationHandler } from "../delegation-call.ts"
import { refuseByLimits } from "./child-share.ts"
import { sandboxProblem, spawnChild } from "./spawn-child.ts"

/** Handles `run_command_task`: starts a command as a child without a model, and returns at once. */
export const spawnCommandTask: DelegationHandler = async (delegation) => {
  const { snapshot } = delegation
  const input = argumentsOf(runCommandTaskInputSchema, delegation)
  if (!isAllowedTool(snapshot, "Bash"))
    throw new DelegationRefusal("VALIDATION_ERROR", "run_command_task requires Bash, which you do not have")
  const refuse = (refusal: SpawnRefusal) => ({ content: taskStartRefused(refusal).text, isError: true })
  const place = refuseByLimits(delegation)
  if (place !== undefined) return refuse(place)
  const problem = snapshot.sandboxed ? await sandboxProblem(delegation) : undefined
  if (problem !== undefined) throw new DelegationRefusal("TASK_START_FAILED", `no sandbox is available: ${problem}`)
  return spawnChild(delegation, { call: { tool: "run_command_task", input }, use: "background", refuse })
}
