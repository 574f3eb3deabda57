import type { SchedulesClient, TaskClient } from "../../client/task-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { ScheduleView } from "../../contracts/schedules/schedules.ts"
import type { Environment } from "../../domain/environment.ts"
import { counted } from "../../domain/text/figures.ts"
import { loadConnectionProfile } from "../../server/connection/connection-profile.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { findService } from "../../service/ask-service.ts"

const name = "schedules"

type Asked = Pick<TaskClient, "list"> & { readonly schedules: Pick<SchedulesClient, "list"> }

/** Returns what is wrong with a schedule; undefined if nothing is. A schedule that a person has paused is as it should be. */
const problemOf = async (client: Asked, schedule: ScheduleView): Promise<Finding | undefined> => {
  const { origin, state } = schedule
  const warn = (detail: string, hint: string): Finding => ({ name, status: "warn", detail, hint })
  if (origin === "removed")
    return warn(
      `${schedule.name} is no longer in the configuration, and starts nothing`,
      `run "adjutant schedule delete ${schedule.name}"`,
    )
  if (state === "unmade")
    return warn(
      `${schedule.name} is configured, but no worker has made it`,
      'the log says why: run "adjutant service logs", then correct it and restart the service',
    )
  const { items } = await client.list({ q: `${schedule.name}/`, limit: 20 })
  const last = items.find(({ label }) => label?.startsWith(`${schedule.name}/`) === true)
  if (last?.status !== "failed" && last?.status !== "timed_out") return undefined
  const paused = state === "paused" ? "; it is paused" : ""
  return warn(`the last task of ${schedule.name}, ${last.id}, failed${paused}`, `run "adjutant info ${last.id}"`)
}

/** Returns the problems of the schedules, or that they have none; nothing where there is no schedule. */
export const scheduleFindings = async (client: Asked): Promise<readonly Finding[]> => {
  const schedules = await client.schedules.list()
  if (schedules.length === 0) return []
  const found = await Promise.all(schedules.map((schedule) => problemOf(client, schedule)))
  const problems = found.filter((problem) => problem !== undefined)
  const next = schedules.flatMap((schedule) => schedule.next.slice(0, 1)).toSorted()[0]
  const detail = `${counted(schedules.length, "schedule")}, ${next === undefined ? "none of which starts a task" : `the next task starts at ${next}`}`
  return problems.length > 0 ? problems : [{ name, status: "ok", detail }]
}

/** Asks the service of the data directory about the schedules. Without one, nothing starts their tasks, unless a worker elsewhere uses the same Temporal. */
export const examineSchedules = async (
  { config, dataDir }: Pick<LoadedConfig, "config" | "dataDir">,
  env: Environment,
): Promise<readonly Finding[]> => {
  const service = await findService(dataDir)
  if (service === undefined) {
    const configured = Object.keys(config.schedules).length
    if (configured === 0 || loadConnectionProfile(env) !== undefined) return []
    const detail = `${counted(configured, "schedule")} configured, and no service runs that starts their tasks`
    return [{ name, status: "warn", detail, hint: 'run "adjutant service install", or keep "adjutant serve" running' }]
  }
  const { createRemoteClient } = await import("../../client/remote/create-remote-client.ts")
  const { defaultRemoteTiming } = await import("../../client/remote/server-connection.ts")
  const client = createRemoteClient({
    ...{ url: "http://localhost", token: "", timing: defaultRemoteTiming, socket: service.socket },
  })
  try {
    return await scheduleFindings(client)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return [{ name, status: "warn", detail: `they cannot be read: ${error.message}` }]
  } finally {
    await client.close()
  }
}
