import type { SessionsSpawnInput } from "../../../contracts/delegation/sessions-input.ts"
import {
  allowedAgents,
  refuseByArguments,
  sandboxRequiredRefusal,
  type SpawnRefusal,
} from "../../../domain/delegation/spawn-refusals.ts"
import { liveBinding } from "../../../sessions/delivery/live-binding.ts"
import { profileNames } from "../../../domain/profiles/builtin-profiles.ts"
import type { BindingRow } from "../../../store/store.ts"
import { replyNow, type Reply } from "../../../sessions/delegation-tools/sub-agents.ts"
import type { SpawnOutcome } from "../../../sessions/spawn/spawn-request.ts"
import type { DelegationCall, DelegationLater } from "../delegation-call.ts"
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
  const channel = binding === undefined ? "none" : binding.outbound.spawnSubagentSessions ? "open" : "closed"
  const refusal =
    refuseByLimits(delegation) ?? refuseByArguments({ agentId, allowed, requireAgentId, thread, mode, channel })
  if (refusal !== undefined) return refusal
  const problem = snapshot.sandboxed || sandbox === "require" ? await sandboxProblem(delegation) : undefined
  return problem === undefined ? undefined : sandboxRequiredRefusal(problem)
}

/** Starts a child that works in the background and announces its result. */
export const spawnSession = async (
  delegation: DelegationCall,
  input: SessionsSpawnInput,
): Promise<Reply<SpawnOutcome, DelegationLater>> => {
  const binding = await liveBinding(delegation.deps.store, delegation.session.id)
  const refusal = await refuseSession(delegation, input, binding)
  if (refusal !== undefined) return replyNow({ kind: "refused", refusal })
  const { thread, mode = thread ? "session" : "run" } = input
  const spawned = await spawnChild(delegation, {
    call: { tool: "sessions_spawn", input },
    use: mode === "session" ? "session" : "background",
  })
  if (spawned.kind === "later" && thread && binding !== undefined)
    await bindChild(delegation, spawned.later.child.id, binding)
  return spawned
}
