import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type LimitName, limitNames, runLimits } from "../../contracts/run/run-limits.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { eachLimit } from "../../domain/limits/limit-values.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow } from "../../store/store.ts"
import { isOfThread } from "../rows/is-of-thread.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** The settings of the session's latest run, with what the configuration says by now. */
export interface RefreshedSettings {
  readonly base: RunSnapshot
  /** Limits that the configuration has raised since: the next run may have more of them. */
  readonly raised: readonly LimitName[]
}

/** Returns what the session would start with now; undefined if the configuration no longer has its agent or model. */
const presentSettings = async (
  context: SessionsContext,
  row: Pick<SessionRow, "internal">,
  { agent, cwd, model, pauseOnText, explicit = [] }: RunSnapshot,
): Promise<RunSnapshot | undefined> => {
  try {
    const named = explicit.includes("model") ? { model } : {}
    return await context.resolveRun({
      prompt: "",
      agent,
      cwd,
      pause_on_approval: pauseOnText,
      inThread: isOfThread(row),
      ...named,
    })
  } catch (error) {
    if (isAdjutantError(error) && (error.code.endsWith("_not_found") || error.code === "key_missing")) return undefined
    throw error
  }
}

/** Returns the models by their names, as they are configured now; of one whose level of thinking was set, that stays. */
const presentModels = (base: RunSnapshot, fresh: RunSnapshot): RunSnapshot["models"] => {
  const level = base.explicit?.includes("thinking") === true ? base.models[base.model]?.thinking : undefined
  const configured = level === undefined ? fresh.models : mapped(fresh.models, (spec) => ({ ...spec, thinking: level }))
  return { ...base.models, ...configured }
}

const mapped = (
  models: RunSnapshot["models"],
  change: (spec: RunSnapshot["models"][string]) => RunSnapshot["models"][string],
): RunSnapshot["models"] => Object.fromEntries(Object.entries(models).map(([name, spec]) => [name, change(spec)]))

/** Returns the settings that a session takes from the configuration unless its start or a later message has set them. */
const ownChoices = (base: RunSnapshot, fresh: RunSnapshot): Partial<RunSnapshot> => {
  const of = (name: string): RunSnapshot => (base.explicit?.includes(name) === true ? base : fresh)
  const { tools, delegationTools, skills } = of("allowed_tools")
  return {
    model: of("model").model,
    systemPrompt: of("system_prompt").systemPrompt,
    ...{ tools, delegationTools, skills },
    notify: of("notify").notify,
    limits: eachLimit((name) => of(runLimits[name].option).limits[name]),
  }
}

const isMore = (more: number | null, than: number | null): boolean => than !== null && (more === null || more > than)

/**
 * Returns the settings from which those of a session's next run are resolved: the present configuration, with what the session's start or a later message
 * has set. An open run keeps its own. A session below another one, or one that a delegation tool started, was planned within a caller's limits: it keeps
 * them.
 */
export const refreshSettings = async (
  context: SessionsContext,
  row: Pick<SessionRow, "status" | "depth" | "internal">,
  base: RunSnapshot,
): Promise<RefreshedSettings> => {
  const kept = { base, raised: [] }
  if (!isFinal(row.status) || row.depth > 0 || base.explicit === undefined) return kept
  const fresh = await presentSettings(context, row, base)
  if (fresh === undefined || fresh.type !== base.type) return kept
  const { explicit, approval, pauseOnText, outputSchema, sandbox, unconfined, context: given } = base
  const sandboxed = base.sandboxed || fresh.sandboxed
  const present: RunSnapshot = {
    ...fresh,
    ...{ explicit, approval, pauseOnText, outputSchema, sandboxed, unconfined, context: given },
    sandbox: base.sandboxed ? sandbox : fresh.sandbox,
    inheritedPolicies: base.inheritedPolicies,
    models: presentModels(base, fresh),
    ...ownChoices(base, fresh),
  }
  return { base: present, raised: limitNames.filter((name) => isMore(present.limits[name], base.limits[name])) }
}
