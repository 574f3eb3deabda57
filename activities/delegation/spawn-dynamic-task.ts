import { dynamicSubagentTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import { taskStartRefused } from "../../domain/delegation/spawn-result.ts"
import { subagentPrompt } from "../../domain/delegation/subagent-prompt.ts"
import { chooseModel, downgradeModel } from "../../domain/limits/model-choice.ts"
import { isAllowedTool } from "../../domain/tools/tool-names.ts"
import { createChild } from "./create-child.ts"
import { argumentsOf, type DelegationHandler } from "./delegation-call.ts"
import { resolveChild } from "../../sessions/settings/resolve-child.ts"
import { refuseByLimits, reserveFor, timeoutFor } from "./spawn-place.ts"

/** `dynamic_subagent_task`: a child with its own instructions and tools; the call returns at once. */
export const spawnDynamicTask: DelegationHandler = async (delegation) => {
  const { deps, snapshot } = delegation
  const refuse = (code: string, message: string) => ({ content: errorResult(code, message).text, isError: true })
  const input = argumentsOf(dynamicSubagentTaskInputSchema, delegation)
  const missing = input.tools.filter((name) => !isAllowedTool(snapshot, name))
  if (missing.length > 0)
    return refuse(
      "VALIDATION_ERROR",
      `you do not have ${missing.join(", ")} yourself; yours: ${snapshot.tools.join(", ")}`,
    )
  const place = refuseByLimits(delegation)
  if (place !== undefined) return { content: taskStartRefused(place).text, isError: true }
  if (input.enable_sandbox) {
    const sandbox = await deps.sandboxFor(snapshot.sandbox === "off" ? "off" : "auto")
    if (!sandbox.confined)
      return refuse("TASK_START_FAILED", `no sandbox works here: ${sandbox.reason ?? "unknown reason"}`)
  }
  const { model: wanted, downgrade } = snapshot.subagents
  const chosen = chooseModel({ ...(wanted === undefined ? {} : { subagents: wanted }), caller: snapshot.model })
  const child = resolveChild(snapshot, {
    agent: "general",
    model: downgrade ? downgradeModel(chosen, snapshot.models) : chosen,
    tools: input.tools,
    maxSteps: input.max_steps,
    timeoutSeconds: timeoutFor(delegation, snapshot.subagents.runTimeoutSeconds),
    approval: "policy",
    sandboxed: input.enable_sandbox || snapshot.sandboxed,
    reserved: reserveFor(delegation),
    notes: await deps.readProjectNotes(snapshot.cwd),
  })
  return createChild(delegation, {
    snapshot: child,
    title: input.description,
    label: null,
    instruction: subagentPrompt(input.instructions, input.context),
    use: "background",
    reserved: reserveFor(delegation),
    metadata: { tool: "dynamic_subagent_task" },
  })
}
