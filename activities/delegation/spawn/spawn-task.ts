import { argumentProblem } from "../../../contracts/argument-problem.ts"
import { taskInputSchema } from "../../../contracts/delegation/task-input.ts"
import { envelopeText, taskRefusal } from "../../../domain/delegation/task/task-envelope.ts"
import type { DelegationHandler } from "../delegation-call.ts"
import { refuseByLimits } from "./child-share.ts"
import { spawnChild } from "./spawn-child.ts"

/** Handles `Task`: starts a read-only child, for whose answer the caller waits. */
export const spawnTask: DelegationHandler = async (delegation) => {
  const { call, snapshot } = delegation
  const refuse = (code: "INVALID_PARAM" | "INTERNAL_ERROR", message: string) => {
    const answer = taskRefusal({ code, message, cwd: snapshot.cwd, paramsInput: call.arguments })
    return { content: envelopeText(answer), isError: true }
  }
  const parsed = taskInputSchema.safeParse(call.arguments)
  if (!parsed.success) return refuse("INVALID_PARAM", argumentProblem(parsed.error))
  const refusal = refuseByLimits(delegation)
  if (refusal !== undefined) return refuse("INTERNAL_ERROR", refusal.error)
  return spawnChild(delegation, {
    call: { tool: "Task", input: parsed.data },
    use: "task",
    refuse: ({ error }) => refuse("INTERNAL_ERROR", error),
  })
}
