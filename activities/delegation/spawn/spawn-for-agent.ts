import type { ChildUse } from "../../../domain/limits/child-state.ts"
import type { SpawnRefusal } from "../../../domain/delegation/spawn-refusals.ts"
import { isAllowedTool } from "../../../domain/tools/tool-names.ts"
import { replyNow, type Reply } from "../../../sessions/delegation-tools/sub-agents.ts"
import type { SpawnCall, SpawnOutcome } from "../../../sessions/spawn/spawn-request.ts"
import type { DelegationCall, DelegationLater } from "../delegation-call.ts"
import { refuseByLimits } from "./child-share.ts"
import { sandboxProblem, spawnChild } from "./spawn-child.ts"
import { spawnSession } from "./spawn-session.ts"

const wrongArguments = (error: string): SpawnRefusal => ({ status: "error", error, about: "arguments" })

/** Returns why the caller may not give a task what the call asks for; undefined if it may. */
const refuseByTools = ({ snapshot }: DelegationCall, call: SpawnCall): SpawnRefusal | undefined => {
  if (call.tool === "run_command_task" && !isAllowedTool(snapshot, "Bash"))
    return wrongArguments("run_command_task requires Bash, which you do not have")
  if (call.tool !== "dynamic_subagent_task") return undefined
  const missing = call.input.tools.filter((name) => !isAllowedTool(snapshot, name))
  return missing.length === 0
    ? undefined
    : wrongArguments(`you do not have ${missing.join(", ")} yourself; yours: ${snapshot.tools.join(", ")}`)
}

const needsSandbox = ({ snapshot }: DelegationCall, call: SpawnCall): boolean =>
  call.tool === "dynamic_subagent_task"
    ? call.input.enable_sandbox
    : call.tool === "run_command_task" && snapshot.sandboxed

const refuseTask = async (delegation: DelegationCall, call: SpawnCall): Promise<SpawnRefusal | undefined> => {
  const refusal = refuseByTools(delegation, call) ?? refuseByLimits(delegation)
  if (refusal !== undefined) return refusal
  const problem = needsSandbox(delegation, call) ? await sandboxProblem(delegation) : undefined
  return problem === undefined ? undefined : { status: "error", error: `no sandbox is available: ${problem}` }
}

/** Plans and writes the child of an agent's call, so that the workflow can start it. */
export const spawnForAgent = async (
  delegation: DelegationCall,
  call: SpawnCall,
): Promise<Reply<SpawnOutcome, DelegationLater>> => {
  if (call.tool === "sessions_spawn") return spawnSession(delegation, call.input)
  const refusal = await refuseTask(delegation, call)
  if (refusal !== undefined) return replyNow({ kind: "refused", refusal })
  const use: ChildUse = call.tool === "Task" ? "task" : "background"
  return spawnChild(delegation, { call, use })
}
