import { argumentProblem } from "../../contracts/argument-problem.ts"
import { taskInputSchema } from "../../contracts/delegation/task-input.ts"
import { taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import { taskModel } from "../../domain/limits/model-choice.ts"
import { readingToolNames } from "../../domain/tools/tool-names.ts"
import { createChild } from "./create-child.ts"
import type { DelegationHandler } from "./delegation-call.ts"
import { resolveChild } from "../../sessions/settings/resolve-child.ts"
import { refuseByLimits, reserveFor, timeoutFor } from "./spawn-place.ts"

/** `Task`: a child that reads and searches, whose answer the caller waits for. */
export const spawnTask: DelegationHandler = async (delegation) => {
  const { call, snapshot } = delegation
  const refuse = (code: "INVALID_PARAM" | "INTERNAL_ERROR", message: string) => {
    const answer = taskRefusal({ code, message, cwd: snapshot.cwd, paramsInput: call.arguments })
    return { content: answer.text, isError: true }
  }
  const parsed = taskInputSchema.safeParse(call.arguments)
  if (!parsed.success) return refuse("INVALID_PARAM", argumentProblem(parsed.error))
  const { description, prompt, subagent_type: agent, model } = parsed.data
  const refusal = refuseByLimits(delegation)
  if (refusal !== undefined) return refuse("INTERNAL_ERROR", refusal.error)
  const wanted = taskModel(agent, model)
  const name = Object.hasOwn(snapshot.models, wanted) ? wanted : snapshot.model
  const child = resolveChild(snapshot, {
    agent,
    model: name,
    tools: readingToolNames,
    timeoutSeconds: timeoutFor(delegation, snapshot.subagents.runTimeoutSeconds),
    approval: snapshot.approval,
    sandboxed: snapshot.sandboxed,
    reserved: reserveFor(delegation),
    taskDescription: description,
    notes: [],
  })
  return createChild(delegation, {
    snapshot: child,
    title: description,
    label: null,
    instruction: prompt,
    use: "task",
    reserved: reserveFor(delegation),
    metadata: { tool: "Task", model: wanted },
  })
}
