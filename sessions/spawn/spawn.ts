import type { SessionsSpawnInput } from "../../contracts/delegation/sessions-input.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { profileNames } from "../../domain/profiles/builtin-profiles.ts"
import {
  allowedAgents,
  refuseByArguments,
  refuseByPlace,
  sandboxRequiredRefusal,
  type SpawnRefusal,
} from "../../domain/delegation/spawn-refusals.ts"
import { childSessionKey } from "../../domain/transcript/session-key.ts"
import { withStoredProfiles } from "../profiles/stored-profiles.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { outsideOrigin, type SettingsOrigin } from "../settings/settings-origin.ts"
import { noWorktreeHere } from "../settings/plan-settings.ts"
import { startWithSettings } from "../start/start-session.ts"
import { planSpawn } from "./plan-spawn.ts"
import type { SpawnCall, SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { activeSpawned } from "./spawned-by.ts"

/** A caller from outside a run counts as depth 0. */
const callerDepth = 0

const refuseSession = (
  { shared, agent }: SettingsOrigin,
  { isPerson = false }: SpawnRequest,
  input: SessionsSpawnInput,
): SpawnRefusal | undefined => {
  const { agents, subagents, sandbox } = shared
  const known = profileNames(agents)
  const refusal = refuseByArguments({
    agentId: input.agentId,
    allowed: isPerson ? known : allowedAgents(subagents.allowAgents, agent, known),
    requireAgentId: subagents.requireAgentId,
    thread: input.thread,
    mode: input.mode,
    channel: "none",
  })
  if (refusal !== undefined) return refusal
  const isConfinable = input.sandbox !== "require" || sandbox !== "off"
  return isConfinable ? undefined : sandboxRequiredRefusal("security.sandbox is off")
}

const refuseSpawn = async (
  context: SessionsContext,
  request: SpawnRequest,
  origin: SettingsOrigin,
): Promise<SpawnRefusal | undefined> => {
  const { maxSpawnDepth: maxDepth, maxChildrenPerAgent: maxChildren } = origin.shared.subagents
  if (request.isPerson !== true) {
    const activeChildren = await activeSpawned(context, request.caller, maxChildren)
    const refusal = refuseByPlace({ depth: callerDepth, maxDepth, activeChildren, maxChildren })
    if (refusal !== undefined) return refusal
  }
  return request.call.tool === "sessions_spawn" ? refuseSession(origin, request, request.call.input) : undefined
}

/** What the answer of a start says about the settings. */
const settingsSaid = ({ model, tools, sandboxed, taskSandbox }: RunSnapshot) => ({
  model,
  tools,
  sandboxed,
  taskSandbox,
})

/** Returns the arguments that the answer of `Task` contains. */
const quotedArguments = (call: SpawnCall): Readonly<Record<string, unknown>> =>
  call.tool === "Task" ? { subagent_type: call.input.subagent_type, params_input: call.asSent ?? call.input } : {}

/** How long ago a lost call can have started what its repetition returns. */
const repetitionMs = 60_000
/** Of a caller's newest sessions, those that are looked through for it. */
const newest = 50

/** Returns what the same call has started before; undefined if it has started nothing. */
const startedBefore = async (
  { store }: SessionsContext,
  { caller, repetition }: SpawnRequest,
): Promise<SpawnOutcome | undefined> => {
  if (repetition?.isRepeated !== true) return undefined
  const { items } = await store.sessions.list({ caller, includeArchived: true, limit: newest })
  const row = items.find(
    ({ internal, createdAt }) =>
      internal["call"] === repetition.key && Date.now() - Date.parse(createdAt) < repetitionMs,
  )
  const run = row?.runId == null ? undefined : await store.runs.get(row.runId)
  const snapshot = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
  if (row?.runId == null || snapshot === undefined) return undefined
  const warning = "the same call was lost before its answer, and this is what it started"
  return {
    kind: "started",
    child: { runId: row.runId, childSessionKey: row.sessionKey, sessionId: row.id, warning },
    title: row.title ?? "",
    ...settingsSaid(snapshot),
  }
}

/**
 * Starts a session for a delegation tool that is called from outside a run: at depth 1, without a parent, with an audit entry for the caller and the
 * tool. Refusals by the rules for sub-agents are returned as data.
 * @throws AdjutantError of the resolution, `temporal_unavailable`
 */
export const spawn = async (context: SessionsContext, request: SpawnRequest): Promise<SpawnOutcome> => {
  const origin = outsideOrigin(await withStoredProfiles(context))
  const before = await startedBefore(context, request)
  if (before !== undefined) return before
  const refusal = await refuseSpawn(context, request, origin)
  if (refusal !== undefined) return { kind: "refused", refusal }
  const { call, caller, cwd, actor, sessionId: givenId, repetition } = request
  const { settings, instruction, title, label, warning, internal, wantsWorktree } = planSpawn(call, origin)
  if (wantsWorktree === true) throw noWorktreeHere("this call comes from outside of a run")
  const shownTitle = context.redact(title)
  const { sessionId, runId, snapshot } = await startWithSettings(
    context,
    {
      ...settings,
      prompt: instruction,
      title: shownTitle,
      ...(label === undefined ? {} : { label }),
      ...(givenId === undefined ? {} : { sessionId: givenId }),
      cwd,
      actor,
    },
    {
      internal: {
        ...{ ...internal, ...quotedArguments(call), tool: call.tool },
        ...(repetition === undefined ? {} : { call: repetition.key }),
      },
      caller,
    },
  )
  return {
    kind: "started",
    child: {
      runId,
      childSessionKey: childSessionKey(settings.agent, "", sessionId),
      sessionId,
      ...(warning === undefined ? {} : { warning }),
    },
    title: shownTitle,
    ...settingsSaid(snapshot),
  }
}
