import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { sessionsSpawnInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { spawnAccepted, spawnRefused } from "../../domain/delegation/spawn-result.ts"
import { answered, type ToolHandler } from "../mcp-context.ts"
import { invalidArguments, parseArguments } from "../parse-arguments.ts"

/** `sessions_spawn`: starts in the background, and returns at once. */
export const sessionsSpawnTool: ToolHandler = async ({ client, caller, cwd }, call) => {
  const parsed = parseArguments(sessionsSpawnInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  try {
    const outcome = await client.spawn({
      call: { tool: "sessions_spawn", input: parsed.value },
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
}
