import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { pickRunOptions, type RunOptions } from "../../contracts/run/run-options.ts"
import type { Limits } from "../../contracts/run/limit-schemas.ts"
import type { LimitName } from "../../contracts/run/run-limits.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { requestedApproval } from "../../domain/approval/narrow-approval.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { resolveModelName } from "../../domain/models/model-choice.ts"
import { choicesWith } from "../../domain/limits/run-choices.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { raisedLimits, withLimits } from "../../domain/limits/raise-limit.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { Thinking } from "../../contracts/run/model-provider.ts"
import type { Actor } from "../actor.ts"
import { isDelegationTool } from "../../domain/tools/tool-names.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SendRequest } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { contextForProgram } from "../../domain/prompts/task-context.ts"
import { composeSystemPrompt } from "../../domain/prompts/compose-system-prompt.ts"
import { refreshSettings } from "./refresh-settings.ts"
import { readProjectNotes, readRootNotes } from "./read-project-notes.ts"
import { refuseSandboxWhereOff } from "./plan-settings.ts"
import { checkTurnOf, requireOutputSchema } from "../result/check-result.ts"
import { requirePrice } from "./fields/require-price.ts"
import { resolveNotify } from "./fields/resolve-notify.ts"
import { limitsWith } from "./fields/resolve-limits.ts"
import { requireMayApprove } from "../authority/require-may.ts"
import { authorityOf, requireApproval, requireApprover, withinAuthority } from "../authority/require-authority.ts"

/** Returns the snapshot of the session's latest run. */
export const latestSnapshot = async (context: SessionsContext, row: SessionRow): Promise<RunSnapshot> => {
  const { runs, snapshots } = context.store
  const run = (row.runId === null ? undefined : await runs.get(row.runId)) ?? (await runs.latest(row.id))
  const snapshot = run === undefined ? undefined : await snapshots.get(run.snapshotHash)
  if (snapshot === undefined)
    throw new AdjutantError("storage_failed", `the settings of session ${row.id} are missing: start a new session`)
  return snapshot
}

/** Returns the settings of a parent; undefined for a session without a parent. */
export const parentSnapshot = async (
  context: SessionsContext,
  parentId: string | null,
): Promise<RunSnapshot | undefined> => {
  const parent = parentId === null ? undefined : await context.store.sessions.get(parentId)
  if (parent === undefined) return undefined
  if (parent.runId !== null) return await latestSnapshot(context, parent)
  const { agent, cwd, model } = parent
  return await context.resolveRun({ prompt: "", agent, cwd, ...(model === "none" ? {} : { model }) })
}

interface NamedModel {
  readonly name: string
  readonly models: Readonly<Record<string, ModelSpec>>
}

/** Finds a model: in the session's settings, then in the present configuration, which may have models that are newer than the session. */
const findModel = async (context: SessionsContext, base: RunSnapshot, wanted: string): Promise<NamedModel> => {
  const known = resolveModelName(wanted, base.models)
  if (known !== undefined) return { name: known, models: base.models }
  if (base.type !== "llm" && wanted === base.model) return { name: base.model, models: base.models }
  const fresh = await context.resolveRun({ prompt: "", agent: base.agent, cwd: base.cwd, model: wanted })
  const spec = fresh.models[fresh.model]
  return { name: fresh.model, models: spec === undefined ? base.models : { ...base.models, [fresh.model]: spec } }
}

/** `-t` names ordinary tools; delegation tools follow `delegation`, unless the list names one of them. */
const toolsOf = (
  base: RunSnapshot,
  tools: RunOptions["allowed_tools"],
): Pick<RunSnapshot, "tools" | "delegationTools"> => {
  if (tools === undefined) return { tools: base.tools, delegationTools: base.delegationTools }
  const delegation = tools.filter(isDelegationTool)
  return {
    tools: tools.filter((name) => !isDelegationTool(name)),
    delegationTools: delegation.length === 0 ? base.delegationTools : delegation,
  }
}

const promptOf = async (
  { loaded }: SessionsContext,
  base: RunSnapshot,
  row: Pick<SessionRow, "parentId" | "depth">,
  {
    actor,
    systemPrompt,
    pauseOnText,
  }: Pick<SendRequest, "actor"> & { readonly systemPrompt: string | undefined; readonly pauseOnText: boolean },
): Promise<Partial<Pick<RunSnapshot, "systemPrompt" | "showsSurroundings">>> => {
  if (systemPrompt === undefined || base.type !== "llm") return {}
  const { dataDir } = loaded
  const isRoot = row.parentId === null && row.depth === 0
  const notes = isRoot
    ? await readRootNotes(base.cwd, { ...authorityOf(actor), dataDir })
    : await readProjectNotes(base.cwd, dataDir)
  const isWorktree = base.worktree !== undefined
  return {
    systemPrompt: composeSystemPrompt({ rolePrompt: systemPrompt, isWorktree, notes, pauseOnText }),
    showsSurroundings: true,
  }
}

/** Returns the sandbox settings of a follow-up; leaving the sandbox would widen the limits. */
const sandboxOf = (
  base: RunSnapshot,
  sandbox: RunOptions["sandbox"],
): Partial<Pick<RunSnapshot, "sandbox" | "sandboxed">> => {
  if (sandbox === undefined || sandbox === "off") return {}
  refuseSandboxWhereOff(sandbox, base.sandbox)
  return sandbox ? { sandbox: "require", sandboxed: true } : { sandboxed: false }
}

/** Refuses settings that only a model can follow. */
const requireModelFor = ({ thinking, output_schema: outputSchema }: RunOptions, { type, agent }: RunSnapshot): void => {
  if (type === "llm" || (thinking === undefined && outputSchema === undefined)) return
  const setting = thinking === undefined ? "output schema" : "thinking level"
  throw new AdjutantError("invalid_argument", `agent ${agent} does not use a model: omit the ${setting}`)
}

const withThinking = ({ name, models }: NamedModel, thinking: Thinking | undefined): NamedModel =>
  thinking === undefined
    ? { name, models }
    : { name, models: Object.fromEntries(Object.entries(models).map(([key, spec]) => [key, { ...spec, thinking }])) }

/**
 * Returns the limits that the request raises and may raise: only the one that ended the last run can be. A sub-agent gets at most as much as the run that
 * started it has, and its budget is never raised, because it is a share of that run's.
 * @throws AdjutantError `forbidden` for a caller who may not approve
 */
const raisedBy = async (
  context: SessionsContext,
  row: SessionRow,
  { base, limits, actor }: { readonly base: Limits; readonly limits: Limits; readonly actor: Actor },
): Promise<readonly LimitName[]> => {
  const raised = isFinal(row.status) ? raisedLimits(base, limits, row.stopReason) : []
  if (raised.length === 0) return []
  requireApprover(actor, "continuing with a higher limit")
  const parent = await parentSnapshot(context, row.parentId)
  if (parent === undefined) return raised
  const beyond = raisedLimits(parent.limits, limits, row.stopReason)
  return row.stopReason === "budget" ? [] : raised.filter((name) => !beyond.includes(name))
}

/**
 * Returns the settings of a session's next run: those of its latest run, renewed from the present configuration, within the authority of the caller, and
 * narrowed by the request. Only the limit that ended the latest run can be raised, by a caller who may approve.
 * @throws AdjutantError `forbidden`, `limit_widened`, `model_not_found`, `price_unknown`
 */
export const resolveFollowUp = async (
  context: SessionsContext,
  row: SessionRow,
  { actor, limits: asked = {} }: Pick<SendRequest, "actor" | "limits">,
): Promise<RunSnapshot> => {
  requireApproval(actor, asked.auto_approve)
  if (asked.sandbox === "off") requireApprover(actor, "a run whose commands are not confined")
  const latest = await latestSnapshot(context, row)
  requireMayApprove(context.loaded, { actor, auto_approve: asked.auto_approve, run: latest })
  requireModelFor(asked, latest)
  await requireOutputSchema({ outputSchema: asked.output_schema }, checkTurnOf(actor))
  // A caller who may not approve calls does not get a run without approvals, even if the session had one.
  const refreshed = await refreshSettings(context, row, latest)
  const base = withinAuthority(refreshed.base, actor)
  // A person may have set another model than that of the run.
  const set = row.model !== latest.model && Object.hasOwn(base.models, row.model) ? row.model : null
  const chosen = asked.model ?? allowedModel(base, set)
  const { name, models } = withThinking(await findModel(context, base, chosen), asked.thinking)
  const choices = choicesWith(asked, base)
  const limits = limitsWith(asked, (limit) => base.limits[limit])
  const raised = await raisedBy(context, row, { base: base.limits, limits, actor })
  const wider = [...new Set([...raised, ...refreshed.raised])]
  const named = Object.keys(pickRunOptions(asked))
  const { snapshot, widened } = narrowLimits(
    { ...base, limits: withLimits(base.limits, raised, limits) },
    {
      ...base,
      ...toolsOf(base, asked.allowed_tools),
      model: name,
      models,
      limits,
      raisedLimits: wider.length === 0 ? undefined : wider,
      explicit: base.explicit === undefined ? undefined : [...new Set([...base.explicit, ...named])].toSorted(),
      approval: requestedApproval(asked.auto_approve) ?? base.approval,
      ...choices,
      outputSchema: asked.output_schema ?? base.outputSchema,
      notify: resolveNotify({ asked: asked.notify, profile: undefined }, base.notify),
      context: base.type === "llm" ? undefined : contextForProgram(asked.context),
      ...(await promptOf(context, base, row, {
        actor,
        systemPrompt: asked.system_prompt,
        pauseOnText: choices.pauseOnText,
      })),
      ...sandboxOf(base, asked.sandbox),
      unconfined: asked.sandbox === "off" ? true : base.unconfined,
    },
  )
  if (widened.length > 0)
    throw new AdjutantError(
      "limit_widened",
      `a later message can only narrow a session's limits (${widened.join("; ")}): omit these settings, or start a new session`,
    )
  requirePrice(snapshot)
  return snapshot
}
