import path from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import type { DueRun, ScheduledTask } from "../../domain/schedules/scheduled-run.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { callEngine } from "../../engine/call-engine.ts"
import {
  changeRunSchedule,
  describeRunSchedule,
  ensureRunSchedule,
  type RunSchedule,
  type ScheduleChange,
} from "../../engine/schedules/run-schedules.ts"
import type { Actor } from "../authority/actor.ts"
import { digitsOf } from "../session-id.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { startSession, withNotify } from "../start/start-session.ts"
import { missingSecrets } from "./missing-secrets.ts"

/** A schedule of the configuration, and how the engine has it; `state` is `unmade` until a worker has made it. */
export interface ScheduleView extends Pick<ScheduleConfig, "cron" | "timezone" | "overlap"> {
  readonly name: string
  readonly state: "active" | "paused" | "unmade"
  readonly next: readonly string[]
  readonly started: readonly string[]
}

const viewOf = (
  name: string,
  { cron, timezone, overlap }: ScheduleConfig,
  found: RunSchedule | undefined,
): ScheduleView => ({
  ...{ name, cron, timezone, overlap },
  state: found === undefined ? "unmade" : found.isPaused ? "paused" : "active",
  next: found?.next ?? [],
  started: found?.started ?? [],
})

const requireSchedule = ({ loaded }: Pick<SessionsContext, "loaded">, name: string): ScheduleConfig => {
  const { schedules } = loaded.config
  const schedule = Object.hasOwn(schedules, name) ? schedules[name] : undefined
  if (schedule !== undefined) return schedule
  throw new AdjutantError(
    "invalid_argument",
    `there is no ${name} in schedules${didYouMean(name, Object.keys(schedules))}`,
  )
}

/** Returns the schedules of the configuration, with their next times. */
export const listSchedules = async (context: SessionsContext): Promise<readonly ScheduleView[]> =>
  await Promise.all(
    Object.entries(context.loaded.config.schedules).map(async ([name, schedule]) =>
      viewOf(name, schedule, await callEngine(context, () => describeRunSchedule(context, name))),
    ),
  )

/**
 * Pauses or resumes a schedule, or starts its task now.
 * @throws AdjutantError `invalid_argument`, `temporal_unavailable`
 */
export const changeSchedule = async (
  context: SessionsContext,
  name: string,
  { change, actor }: { readonly change: ScheduleChange; readonly actor: Actor },
): Promise<ScheduleView> => {
  const schedule = requireSchedule(context, name)
  const note = `${change} by ${actor.by} (${actor.via})`
  if (!(await callEngine(context, () => changeRunSchedule(context, name, { change, note }))))
    throw new AdjutantError(
      "invalid_argument",
      `no worker has made the schedule ${name} yet: start one with this configuration, and look at its log`,
    )
  return viewOf(name, schedule, await callEngine(context, () => describeRunSchedule(context, name)))
}

/**
 * Makes the schedules of the configuration in the engine. One whose tasks lack a secret here is not made, and named in the result: nobody would be there to
 * give it.
 */
export const ensureSchedules = async (
  context: SessionsContext,
): Promise<readonly { readonly name: string; readonly missing: readonly string[] }[]> => {
  const refused: { readonly name: string; readonly missing: readonly string[] }[] = []
  for (const [name, schedule] of Object.entries(context.loaded.config.schedules)) {
    const request = requestOf(context, { name, time: "" })
    const missing = missingSecrets(withNotify(await context.resolveRun(request), request), context.env)
    if (missing.length > 0) refused.push({ name, missing })
    else await callEngine(context, () => ensureRunSchedule(context, name, schedule))
  }
  return refused
}

const requestOf = (context: SessionsContext, { name, time }: DueRun) => {
  const { prompt, agent, cwd = ".", budgetUsd, notify } = requireSchedule(context, name)
  return {
    ...{ prompt, cwd: path.resolve(context.loaded.projectRoot, cwd), label: `${name}/${time}` },
    ...withoutUndefined({ agent, budget_usd: budgetUsd, notifyOn: notify }),
    actor: { by: `schedule:${name}`, via: "schedule", kind: "program" } as const,
  }
}

/** Returns the id of the session of a due run: the same for every attempt. */
const sessionIdOf = ({ store }: SessionsContext, { name, time }: DueRun): string =>
  digitsOf(JSON.stringify([store.storeId, "schedule", name, time])).slice(0, 12)

/** Starts the task of a due run once. */
export const startScheduled = async (context: SessionsContext, due: DueRun): Promise<ScheduledTask> => {
  const sessionId = sessionIdOf(context, due)
  const known = await context.store.sessions.get(sessionId)
  if (known !== undefined && known.runId !== null) return { sessionId, runId: known.runId }
  return await startSession(context, { ...requestOf(context, due), sessionId })
}
