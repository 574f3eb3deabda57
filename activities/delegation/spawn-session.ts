import { sessionsSpawnInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { bindingAge, bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import { findProfile, profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { spawnRefused } from "../../domain/delegation/spawn-result.ts"
import {
  allowedAgents,
  refuseByArguments,
  sandboxRequiredRefusal,
  type SpawnRefusal,
} from "../../domain/delegation/spawn-refusals.ts"
import { chooseModel, resolveModelName } from "../../domain/limits/model-choice.ts"
import type { BindingRow } from "../../store/store.ts"
import { createChild } from "./create-child.ts"
import { argumentsOf, type DelegationCall, type DelegationHandler } from "./delegation-call.ts"
import { resolveChild } from "../../sessions/settings/resolve-child.ts"
import { refuseByLimits, reserveFor, timeoutFor } from "./spawn-place.ts"

const maxTitleCharacters = 120

/** The requester's own thread, while it is bound to one. */
const openBinding = async ({ deps, session }: DelegationCall): Promise<BindingRow | undefined> => {
  const binding = await deps.store.bindings.ofSession(session.id)
  if (binding === undefined) return undefined
  const end = bindingExpiresAtMs(bindingAge(binding))
  return end === undefined || end > Date.now() ? binding : undefined
}

/** The child gets a thread of its own in the requester's channel; its key tells which thread it comes from. */
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

/** `sessions_spawn`: a child that works in the background and announces its result. */
export const spawnSession: DelegationHandler = async (delegation) => {
  const { deps, snapshot } = delegation
  const input = argumentsOf(sessionsSpawnInputSchema, delegation)
  const { subagents } = snapshot
  const binding = await openBinding(delegation)
  const refuse = (refusal: SpawnRefusal) => ({ content: spawnRefused(refusal).text, isError: true })
  const known = profileNames(snapshot.agents)
  const wish = refuseByArguments({
    agentId: input.agentId,
    allowed: allowedAgents(subagents.allowAgents, snapshot.agent, known),
    requireAgentId: subagents.requireAgentId,
    thread: input.thread,
    mode: input.mode,
    hasChannel: binding?.outbound.spawnSubagentSessions ?? false,
  })
  const refusal = refuseByLimits(delegation) ?? wish
  if (refusal !== undefined) return refuse(refusal)
  const sandboxed = snapshot.sandboxed || input.sandbox === "require"
  if (sandboxed) {
    const sandbox = await deps.sandboxFor(snapshot.sandbox === "off" ? "off" : "auto")
    if (!sandbox.confined) return refuse(sandboxRequiredRefusal(sandbox.reason ?? "unknown reason"))
  }
  const agent = input.agentId ?? snapshot.agent
  const profile = findProfile(agent, snapshot.agents)
  const explicit = input.model === undefined ? undefined : resolveModelName(input.model, snapshot.models)
  const warning =
    input.model !== undefined && explicit === undefined
      ? `there is no model ${input.model}: the sub-agent runs on its default`
      : undefined
  const model = chooseModel({
    ...(explicit === undefined ? {} : { explicit }),
    ...(profile?.type === "llm" && profile.model !== undefined ? { profile: profile.model } : {}),
    ...(subagents.model === undefined ? {} : { subagents: subagents.model }),
    caller: snapshot.model,
  })
  const thinking = input.thinking ?? subagents.thinking
  const child = resolveChild(snapshot, {
    agent,
    model: resolveModelName(model, snapshot.models) ?? snapshot.model,
    ...(thinking === undefined ? {} : { thinking }),
    timeoutSeconds: timeoutFor(delegation, input.runTimeoutSeconds ?? subagents.runTimeoutSeconds),
    approval: snapshot.approval,
    sandboxed,
    reserved: reserveFor(delegation),
    notes: await deps.readProjectNotes(snapshot.cwd),
  })
  const thread = input.thread
  const mode = input.mode ?? (thread ? "session" : "run")
  const directive = await createChild(delegation, {
    snapshot: child,
    title: input.label ?? input.task.replaceAll(/\s+/g, " ").slice(0, maxTitleCharacters),
    label: input.label ?? null,
    instruction: input.task,
    use: mode === "session" ? "session" : "background",
    reserved: reserveFor(delegation),
    metadata: {
      tool: "sessions_spawn",
      mode,
      cleanup: input.cleanup,
      ...(warning === undefined ? {} : { warning }),
    },
  })
  if (thread && binding !== undefined) await bindChild(delegation, directive.child.id, binding)
  return directive
}
