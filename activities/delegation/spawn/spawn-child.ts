import { realpath } from "node:fs/promises"
import { AdjutantError, isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { spawnRefusal } from "../../../domain/delegation/spawn-refusals.ts"
import type { ChildUse } from "../../../domain/limits/child-state.ts"
import { findProfile } from "../../../domain/profiles/builtin-profiles.ts"
import { toolDirectory } from "../../../domain/workspace/tool-directory.ts"
import { worktreePath } from "../../../domain/workspace/worktree/worktree-place.ts"
import { digitsOf } from "../../../sessions/session-id.ts"
import { requireOutputSchema } from "../../../sessions/result/check-result.ts"
import { planChild } from "../../../sessions/settings/plan-child.ts"
import { type HasVariable, hasVariableOf } from "../../../sessions/settings/fields/resolve-keys.ts"
import type { SettingsRequest } from "../../../sessions/settings/settings-request.ts"
import { callerOrigin } from "../../../sessions/settings/settings-origin.ts"
import { planSpawn, type SpawnPlan } from "../../../sessions/spawn/plan-spawn.ts"
import { replyLater, replyNow, type Reply } from "../../../sessions/delegation-tools/sub-agents.ts"
import type { SpawnCall, SpawnOutcome } from "../../../sessions/spawn/spawn-request.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import { delegationKey, type DelegationCall } from "../delegation-call.ts"
import { createChild, writtenChild, writtenSettings } from "./create-child.ts"
import { shareFor } from "./child-share.ts"
import type { SpawnDirective } from "./write-child-run.ts"

interface ChildSpawn {
  readonly call: SpawnCall
  readonly use: ChildUse
}

/** Returns whether a key is set: in this worker, or as the key of the calling run, which only the worker of `adjutant run` may have. */
const hasVariableFor = ({ deps, snapshot }: DelegationCall): HasVariable => {
  const ownKey = snapshot.models[snapshot.model]?.apiKeyEnv
  const isSetHere = hasVariableOf(deps.env)
  return (name) => name === ownKey || isSetHere(name)
}

/** Returns what the working directory says to agents. */
const projectFacts = async (
  { readProjectNotes, findSkills }: Pick<AgentDependencies, "readProjectNotes" | "findSkills">,
  cwd: string,
) => {
  const [notes, skills] = await Promise.all([readProjectNotes(cwd), findSkills(cwd)])
  return { notes, skills }
}

/** A child can get messages after its parent's run: it is a session of its own, or bound to a thread. */
const staysOpen = ({ call, use }: ChildSpawn): boolean =>
  use === "session" || (call.tool === "sessions_spawn" && call.input.thread)

/** Returns the worktree of a child that gets one: the call requests it, or the child's profile requires it. */
const worktreeFor = async (
  delegation: DelegationCall,
  { settings, wantsWorktree }: SpawnPlan,
  spawn: ChildSpawn,
): Promise<Pick<SettingsRequest, "worktree">> => {
  const { deps, snapshot } = delegation
  const profile = findProfile(settings.agent, snapshot.agents)
  const isModel = profile?.type === "llm" && settings.subagent?.command === undefined
  if (!isModel && wantsWorktree === true)
    throw new AdjutantError("invalid_argument", "only an agent with a model can work in a git worktree: omit worktree")
  if (!isModel || (wantsWorktree !== true && profile.worktree !== true)) {
    if (snapshot.worktree !== undefined && staysOpen(spawn))
      throw new AdjutantError(
        "invalid_argument",
        `a sub-agent that stays open needs a git worktree of its own here, since yours is removed when your run ends: ${isModel ? "set worktree: true, or " : ""}omit thread and mode`,
      )
    return {}
  }
  const dataDir = await realpath(deps.dataDir)
  const key = digitsOf(`worktree/${delegationKey(delegation)}`).slice(-20)
  return { worktree: { path: worktreePath(dataDir, key), source: toolDirectory(snapshot), isOwn: true } }
}

const childSettings = async (delegation: DelegationCall, plan: SpawnPlan, spawn: ChildSpawn): Promise<RunSnapshot> => {
  const { deps, snapshot } = delegation
  const settings = { ...plan.settings, ...(await worktreeFor(delegation, plan, spawn)) }
  const isTask = settings.subagent?.taskDescription !== undefined
  return planChild(snapshot, settings, {
    share: shareFor(delegation),
    allowsBinaryAgents: deps.allowBinaryAgents,
    hasVariable: hasVariableFor(delegation),
    ...(isTask ? { notes: [] } : await projectFacts(deps, snapshot.cwd)),
  })
}

const maxMissingShown = 20

/** Returns a plan that warns the caller of what the child's worktree lacks. */
const withMissing = async (
  { deps }: DelegationCall,
  plan: SpawnPlan,
  { worktree }: RunSnapshot,
): Promise<SpawnPlan> => {
  if (worktree?.isOwn !== true) return plan
  const missing = await deps.worktrees.missing(worktree.source)
  if (missing.length === 0) return plan
  const more = missing.length > maxMissingShown ? ` and ${missing.length - maxMissingShown} more` : ""
  const warning = `empty in the worktree: ${missing.slice(0, maxMissingShown).join(", ")}${more}`
  return { ...plan, warning: plan.warning === undefined ? warning : `${plan.warning}; ${warning}` }
}

/** Returns why this worker has no sandbox for a child; undefined if it has one, or if an earlier attempt of the call has written the child. */
export const sandboxProblem = async (delegation: DelegationCall): Promise<string | undefined> => {
  const { deps, snapshot } = delegation
  const sandbox = await deps.sandboxFor(snapshot.sandbox === "off" ? "off" : "auto")
  if (sandbox.confined || (await writtenChild(delegation)) !== undefined) return undefined
  return sandbox.reason ?? "unknown reason"
}

/**
 * Plans the child of a delegation call and writes it. A plan that cannot be carried out is refused with what to set. A child that an earlier attempt has
 * written keeps its settings: the worker of this attempt can have another configuration.
 */
export const spawnChild = async (
  delegation: DelegationCall,
  { call, use }: ChildSpawn,
): Promise<Reply<SpawnOutcome, SpawnDirective>> => {
  const { deps, snapshot } = delegation
  const plan = planSpawn(call, callerOrigin(snapshot, deps.allowBinaryAgents))
  // Outside the try block: an error of the store is not a refusal, and is retried.
  let settings = await writtenSettings(delegation)
  try {
    settings ??= await childSettings(delegation, plan, { call, use })
    await requireOutputSchema(settings, { owner: `session ${delegation.input.sessionId}` })
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return replyNow({ kind: "refused", refusal: spawnRefusal(error) })
  }
  // A call that asks for a sandbox was refused before, and what a sandboxed parent passes on was checked with it; this is what the child's profile demands.
  const problem = settings.sandboxed && !snapshot.sandboxed ? await sandboxProblem(delegation) : undefined
  if (problem !== undefined)
    return replyNow({ kind: "refused", refusal: { status: "error", error: `no sandbox is available: ${problem}` } })
  const warned = await withMissing(delegation, plan, settings)
  return replyLater(await createChild(delegation, { plan: warned, settings, tool: call.tool, use }))
}
