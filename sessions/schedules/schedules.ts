import path from "node:path"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import type { ScheduleView } from "../../contracts/schedules/schedules.ts"
import type { Authority } from "../../domain/caller/authority.ts"
import { isOutage } from "../../domain/engine/outage-policy.ts"
import type { AddedSchedule, DueRun, ScheduledRunInput, ScheduledTask } from "../../domain/schedules/scheduled-run.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { callEngine, requestWork } from "../../engine/call-engine.ts"
import {
  addRunSchedule,
  changeRunSchedule,
  deleteRunSchedule,
  describeRunSchedule,
  ensureRunSchedule,
  runScheduleNames,
  type RunSchedule,
  type ScheduleChange,
} from "../../engine/schedules/run-schedules.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { digitsOf } from "../session-id.ts"
import { requireAdmin } from "../authority/require-authority.ts"
import { presentAuthority } from "../authority/token-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { StartRequest } from "../start-request.ts"
import { startSession, withNotify } from "../start/start-session.ts"
import { missingSecrets } from "./missing-secrets.ts"
import { isSignedSchedule, signSchedule } from "./sign-schedule.ts"

type Named = Pick<ScheduledRunInput, "name">

const configured = ({ loaded }: Pick<SessionsContext, "loaded">, { name }: Named): ScheduleConfig | undefined => {
  const { schedules } = loaded.config
  return Object.hasOwn(schedules, name) ? schedules[name] : undefined
}

const scheduleView = (context: SessionsContext, name: string, found: RunSchedule | undefined): ScheduleView => {
  const own = configured(context, { name })
  const added = own === undefined ? found?.input?.added : undefined
  const { cron = "", timezone = "", overlap = "" } = own ?? added?.schedule ?? {}
  return {
    ...{ name, cron, timezone, overlap },
    origin: own !== undefined ? "configuration" : added === undefined ? "removed" : "added",
    state: found === undefined ? "unmade" : found.isPaused ? "paused" : "active",
    note: found?.isPaused === true ? found.note : "",
    next: [...(found?.next ?? [])],
    started: [...(found?.started ?? [])],
    by: added?.creator.by ?? null,
  }
}

const describe = (context: SessionsContext, name: string) =>
  callEngine(context, () => describeRunSchedule(context, name))

/** Returns the schedule as people see it: what nobody with this store has added starts nothing, like one that the configuration no longer has. */
const signedView = async (
  context: SessionsContext,
  name: string,
  found: RunSchedule | undefined,
): Promise<ScheduleView> => {
  if (found?.input?.added === undefined) return scheduleView(context, name, found)
  const isOwn = await isSignedSchedule(context.store, name, found.input.added)
  return scheduleView(context, name, isOwn ? found : { ...found, input: undefined })
}

/** Returns the schedules of the configuration, those that were added, and those that the configuration no longer has. */
export const listSchedules = async (context: SessionsContext): Promise<readonly ScheduleView[]> => {
  const own = Object.keys(context.loaded.config.schedules)
  const made = await callEngine(context, () => runScheduleNames(context))
  const others = made.filter((name) => !own.includes(name))
  const views = await Promise.all(
    [...own, ...others].map(async (name) => {
      const found = await describe(context, name)
      // The list of the engine can be older than a deletion.
      return found === undefined && !own.includes(name) ? [] : [await signedView(context, name, found)]
    }),
  )
  return views.flat()
}

const none = (name: string): AdjutantError =>
  new AdjutantError("schedule_not_found", `there is no schedule ${name}: see them with "adjutant schedule list"`)

const unmade = (context: SessionsContext, name: string): AdjutantError =>
  configured(context, { name }) === undefined
    ? none(name)
    : new AdjutantError(
        "invalid_argument",
        `no worker has made the schedule ${name} yet: start one with this configuration, and look at its log`,
      )

/** Returns a schedule. @throws AdjutantError `schedule_not_found` */
export const readSchedule = async (context: SessionsContext, name: string): Promise<ScheduleView> => {
  const found = await describe(context, name)
  if (found === undefined && configured(context, { name }) === undefined) throw none(name)
  return await signedView(context, name, found)
}

const audit = ({ store }: SessionsContext, name: string, action: string, actor: Actor): Promise<void> =>
  store.audit.record({
    ...{ sessionId: `schedule:${name}`, runId: null, action: `schedule-${action}`, ...auditedActor(actor) },
    detail: { schedule: name },
  })

/**
 * Requires a caller who may change a schedule: who added it, or a caller without limits. Its tasks have the rights of who added it, and those of the
 * configuration have all.
 * @throws AdjutantError `forbidden`
 */
const requireOwn = (context: SessionsContext, name: string, found: RunSchedule | undefined, actor: Actor): void => {
  const creator = configured(context, { name }) === undefined ? found?.input?.added?.creator : undefined
  if (creator?.by === actor.by && creator.via === actor.via) return
  requireAdmin(actor, `to change the schedule ${name}, which this caller has not added,`)
}

/**
 * Pauses or resumes a schedule, or starts its task now.
 * @throws AdjutantError `schedule_not_found`, `forbidden`, `invalid_argument` if it is not made yet, `temporal_unavailable`
 */
export const changeSchedule = async (
  context: SessionsContext,
  name: string,
  { change, actor }: { readonly change: ScheduleChange; readonly actor: Actor },
): Promise<ScheduleView> => {
  const found = await describe(context, name)
  if (found === undefined && configured(context, { name }) === undefined) throw none(name)
  requireOwn(context, name, found, actor)
  const note = `${change} by ${actor.by} (${actor.via})`
  // A worker that is started for it makes the schedules of its configuration first.
  if (!(await requestWork(context, () => changeRunSchedule(context, name, { change, note }))))
    throw unmade(context, name)
  await audit(context, name, change, actor)
  return await readSchedule(context, name)
}

/**
 * Adds a schedule that is not in the configuration. Its tasks have the rights of who adds it.
 * @throws AdjutantError `schedule_exists`, `forbidden` or another refusal of what its tasks would be started with
 */
export const addSchedule = async (
  context: SessionsContext,
  { name, schedule, actor }: { readonly name: string; readonly schedule: ScheduleConfig; readonly actor: Actor },
): Promise<ScheduleView> => {
  const { by, via, authority, identity } = actor
  const creator = { by, via, ...withoutUndefined({ authority, identity }) }
  const input = await signSchedule(context.store, name, { schedule, creator })
  const missing = await missingOf(context, input)
  if (missing.length > 0)
    throw new AdjutantError(
      "key_missing",
      `the tasks of the schedule ${name} would lack ${missing.join(", ")}: set each of them for the service, or <name>_FILE with the path of a file that contains it`,
    )
  const isTaken =
    configured(context, input) !== undefined ||
    !(await requestWork(context, () => addRunSchedule(context, input, schedule)))
  if (isTaken)
    throw new AdjutantError("schedule_exists", `there is a schedule ${name} already: delete it, or choose another name`)
  await audit(context, name, "add", actor)
  return await readSchedule(context, name)
}

/**
 * Deletes a schedule that was added, or that the configuration no longer has. Tasks that it has started continue.
 * @throws AdjutantError `schedule_not_found`, `forbidden`, `invalid_argument` if the configuration has it
 */
export const deleteSchedule = async (context: SessionsContext, name: string, actor: Actor): Promise<void> => {
  if (configured(context, { name }) !== undefined)
    throw new AdjutantError(
      "invalid_argument",
      `the schedule ${name} is in the configuration: remove it there, or pause it`,
    )
  const found = await describe(context, name)
  if (found === undefined) throw none(name)
  requireOwn(context, name, found, actor)
  if (!(await callEngine(context, () => deleteRunSchedule(context, name)))) throw none(name)
  await audit(context, name, "delete", actor)
}

const missingOf = async (context: SessionsContext, input: ScheduledRunInput): Promise<readonly string[]> => {
  const request = scheduledRequest(context, { ...input, time: "" })
  return missingSecrets(withNotify(await context.resolveRun(request), request), context.env)
}

/** A schedule of the configuration that was not made, and why. */
export interface UnmadeSchedule {
  readonly name: string
  readonly reason: string
}

/** Makes a schedule of the configuration; returns why it cannot be made, undefined if it was. */
const ensureSchedule = async (
  context: SessionsContext,
  name: string,
  schedule: ScheduleConfig,
): Promise<string | undefined> => {
  try {
    const missing = await missingOf(context, { name })
    if (missing.length > 0)
      return `its tasks would lack ${missing.join(", ")}: set each of them for this process, or <name>_FILE with the path of a file that contains it`
    await requestWork(context, () => ensureRunSchedule(context, name, schedule))
    return undefined
  } catch (error) {
    if (!isAdjutantError(error) || isOutage(error) || error.code === "engine_mismatch") throw error
    return error.message
  }
}

/**
 * Makes the schedules of the configuration in the engine, and returns those that were not made: tasks that lack a secret here, whose settings are refused, or
 * times that Temporal does not accept. They keep no worker from its other work.
 */
export const ensureSchedules = async (context: SessionsContext): Promise<readonly UnmadeSchedule[]> => {
  const refused: UnmadeSchedule[] = []
  for (const [name, schedule] of Object.entries(context.loaded.config.schedules)) {
    const reason = await ensureSchedule(context, name, schedule)
    if (reason !== undefined) refused.push({ name, reason })
  }
  return refused
}

/** Returns what the tasks of an added schedule may do: what the one who added it could do then, and still can. */
const authorityOfCreator = (
  { loaded }: Pick<SessionsContext, "loaded">,
  { name }: Named,
  { authority, identity }: AddedSchedule["creator"],
): Authority | undefined => {
  if (authority === undefined || identity?.kind !== "token") return authority
  try {
    return presentAuthority(loaded, identity.id, authority)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    throw new AdjutantError(
      error.code,
      `${error.message}, which added the schedule ${name}: delete it with "adjutant schedule delete ${name}"`,
    )
  }
}

const scheduledRequest = (context: SessionsContext, due: DueRun): StartRequest => {
  const { name, time, added } = due
  const schedule = configured(context, due) ?? added?.schedule
  if (schedule === undefined)
    throw new AdjutantError("invalid_argument", `the configuration no longer has the schedule ${name}: delete it`)
  const { prompt, agent, cwd = ".", budgetUsd, notify } = schedule
  const creator = configured(context, due) === undefined ? added?.creator : undefined
  const authority = creator === undefined ? undefined : authorityOfCreator(context, due, creator)
  return {
    ...{ prompt, cwd: path.resolve(context.loaded.projectRoot, cwd), label: `${name}/${time}` },
    ...withoutUndefined({ agent, budget_usd: budgetUsd, notifyOn: notify }),
    actor: {
      ...{ by: creator === undefined ? `schedule:${name}` : `schedule:${name} of ${creator.by}`, via: "schedule" },
      kind: "program",
      ...withoutUndefined({ authority, identity: creator?.identity }),
    },
  }
}

/** Requires that a program with this store added the schedule: its input says with whose rights its tasks act. @throws AdjutantError `forbidden` */
const requireSigned = async (context: SessionsContext, due: DueRun): Promise<void> => {
  const { name, added } = due
  if (configured(context, due) !== undefined || added === undefined) return
  if (await isSignedSchedule(context.store, name, added)) return
  throw new AdjutantError(
    "forbidden",
    `the schedule ${name} has no valid signature, so an earlier version added it, or somebody wrote it into Temporal: delete it with "adjutant schedule delete ${name}", and add it again`,
  )
}

/** Returns the id of the session of a due run: the same for every attempt. */
const sessionIdOf = ({ store }: SessionsContext, { name, time }: DueRun): string =>
  digitsOf(JSON.stringify([store.storeId, "schedule", name, time])).slice(0, 12)

/** Starts the task of a due run once. */
export const startScheduled = async (context: SessionsContext, due: DueRun): Promise<ScheduledTask> => {
  const sessionId = sessionIdOf(context, due)
  const known = await context.store.sessions.get(sessionId)
  if (known !== undefined && known.runId !== null) return { sessionId, runId: known.runId }
  await requireSigned(context, due)
  return await startSession(context, { ...scheduledRequest(context, due), sessionId })
}
