import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { sessionsSpawnInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { spawnAccepted, spawnRefused } from "../../domain/delegation/spawn-result.ts"
import { answered } from "../mcp-context.ts"
import { toolOf } from "../parse-arguments.ts"

/** `sessions_spawn`: starts a sub-agent in the background and returns without waiting. */
export const sessionsSpawnTool = toolOf(sessionsSpawnInputSchema, async ({ client, caller, cwd }, call, input) => {
  try {
    const outcome = await client.spawn({
      call: { tool: "sessions_spawn", input },
      caller,
      cwd,
      actor: call.actor,
    })
    if (outcome.kind === "refused") return answered(spawnRefused(outcome.refusal))
    if (call.wantsTask) return { kind: "task", sessionId: outcome.child.sessionId }
    return answered(spawnAccepted(outcome.child, "outside"))
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return answered(spawnRefused({ status: "error", error: error.message }))
  }
})
