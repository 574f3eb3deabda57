import { type SessionsSpawnInput, sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import {
  allowedAgents,
  refuseByArguments,
  sandboxRequiredRefusal,
  type SpawnRefusal,
} from "../../../domain/delegation/spawn-refusals.ts"
import { spawnRefused } from "../../../domain/delegation/spawn-result.ts"
import { liveBinding } from "../../../sessions/channels/live-binding.ts"
import { profileNames } from "../../../domain/prompts/builtin-profiles.ts"
import type { BindingRow } from "../../../store/store.ts"
import { argumentsOf, type DelegationCall, type DelegationHandler } from "../delegation-call.ts"
import { refuseByLimits } from "./child-share.ts"
import { sandboxProblem, spawnChild } from "./spawn-child.ts"

/** Binds the child to its own thread in the requester's channel; the thread's key contains the requester's. */
const bindChild = ({ deps }: DelegationCall, sessionId: string, binding: BindingRow): Promise<void> => {
  const { channel, threadKey, outbound, idleMs, maxAgeMs } = binding
  return deps.store.bindings.bind({
    sessionId,
    channel,
    threadKey: `${threadKey}/${sessionId}`,
    outbound,
    idleMs,
    maxAgeMs,
  })
}

const refuseSession = async (
  delegation: DelegationCall,
  { agentId, thread, mode, sandbox }: SessionsSpawnInput,
  binding: BindingRow | undefined,
): Promise<SpawnRefusal | undefined> => {
  const { snapshot } = delegation
  const { allowAgents, requireAgentId } = snapshot.subagents
  const allowed = allowedAgents(allowAgents, snapshot.agent, profileNames(snapshot.agents))
  const hasChannel = binding?.outbound.spawnSubagentSessions ?? false
  const refusal =
    refuseByLimits(delegation) ?? refuseByArguments({ agentId, allowed, requireAgentId, thread, mode, hasChannel })
  if (refusal !== undefined) return refusal
  const problem = snapshot.sandboxed || sandbox === "require" ? await sandboxProblem(delegation) : undefined
  return problem === undefined ? undefined : sandboxRequiredRefusal(problem)
}

/** Handles `sessions_spawn`: starts a child that works in the background and announces its result. */
export const spawnSession: DelegationHandler = async (delegation) => {
  const input = argumentsOf(sessionsSpawnInputSchema, delegation)
  const binding = await liveBinding(delegation.deps.store, delegation.session.id)
  const refuse = (refusal: SpawnRefusal) => ({ content: spawnRefused(refusal).text, isError: true })
  const refusal = await refuseSession(delegation, input, binding)
  if (refusal !== undefined) return refuse(refusal)
  const { thread, mode = thread ? "session" : "run" } = input
  const directive = await spawnChild(delegation, {
    call: { tool: "sessions_spawn", input },
    use: mode === "session" ? "session" : "background",
    refuse,
  })
  if ("kind" in directive && thread && binding !== undefined) await bindChild(delegation, directive.child.id, binding)
  return directive
}
