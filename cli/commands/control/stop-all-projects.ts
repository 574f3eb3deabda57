import { knownDataDirs } from "../../../config/data-dir/known-data-dirs.ts"
import type { StopReport } from "../../../contracts/http/stop.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { type FoundService, findService, requestStop, stopTasks } from "../../../service/ask-service.ts"
import { waitToHold } from "../../../service/hold-service.ts"
import { openStore } from "../../../store/open-store.ts"
import { isMissingFile, storeLocation } from "../../../store/store-location.ts"
import { sessionPages } from "../../../sessions/view/page.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { ExitCode } from "../../program/exit-code.ts"
import { printResult } from "../../print-result.ts"

/** Longer than a worker waits for calls in flight, and for its parts to close. */
const endTimeoutMs = 300_000

interface Project {
  readonly dataDir: string
  readonly service: FoundService | undefined
}

interface Ended {
  readonly data_dir: string
  /** `failed`: the reason is in `problem`. */
  readonly state: "stopped" | "stopping" | "failed"
  readonly tasks: StopReport["items"]
  readonly problem?: string
}

/** Returns how many tasks of a store without a service are paused; null if it cannot be read. */
const countPaused = async (dataDir: string, env: CliContext["env"]): Promise<number | null> => {
  if (isMissingFile(storeLocation("sqlite:", dataDir))) return 0
  try {
    const store = await openStore({ url: "sqlite:", dataDir, env, mustExist: true })
    try {
      let count = 0
      for await (const page of sessionPages(store, { status: "paused" })) count += page.length
      return count
    } finally {
      await store.close()
    }
  } catch {
    return null
  }
}

const endProject = async (
  { dataDir, service }: Project & { readonly service: FoundService },
  signal: AbortSignal,
): Promise<Ended> => {
  let tasks: StopReport["items"] = []
  try {
    tasks = (await stopTasks(service.socket)).items
    await requestStop(service.socket, { now: false })
    const hold = await waitToHold(dataDir, { signal, timeoutMs: endTimeoutMs, evenIfAnswering: true })
    hold?.release({ clean: true })
    return { data_dir: dataDir, state: hold === undefined ? "stopping" : "stopped", tasks }
  } catch (error) {
    signal.throwIfAborted()
    return { data_dir: dataDir, state: "failed", tasks, problem: errorMessage(error) }
  }
}

const hasService = (project: Project): project is Project & { readonly service: FoundService } =>
  project.service !== undefined

const plan = ({ dataDir, service: { status } }: Project & { readonly service: FoundService }): string =>
  `${dataDir}: the service ${status.pid}, ${status.running + status.pending} running, ${status.paused} paused\n`

const endedText = ({ data_dir: dataDir, state, tasks, problem }: Ended): string => {
  const open = tasks.filter(({ status }) => !isFinal(status)).length
  const ended = `${tasks.length - open} tasks ended${open === 0 ? "" : `, ${open} are still stopping`}`
  return `${dataDir}: ${state}, ${ended}${problem === undefined ? "" : ` (${problem})`}`
}

/**
 * Ends every service of this user in the state folder, and the tasks in them, after it has said what that is. Tasks of projects without a service are
 * counted if they are paused.
 */
export const stopAllProjects = async (context: CliContext, { yes }: { readonly yes: boolean }): Promise<ExitCode> => {
  const { env, io, confirm, interrupts } = context
  const projects: readonly Project[] = await Promise.all(
    (await knownDataDirs(env)).map(async (dataDir) => ({ dataDir, service: await findService(dataDir) })),
  )
  const served = projects.filter(hasService)
  for (const project of served) io.stderr.write(plan(project))
  const question = "End these services and cancel every open task in them? [y/N] "
  if (served.length > 0 && !yes && confirm !== undefined && !(await confirm(question))) {
    io.stderr.write("nothing was stopped\n")
    return 1
  }
  const items = await Promise.all(served.map((project) => endProject(project, interrupts.signal)))
  const paused_elsewhere: { readonly data_dir: string; readonly paused: number | null }[] = []
  for (const { dataDir } of projects.filter((project) => !hasService(project))) {
    const paused = await countPaused(dataDir, env)
    if (paused !== 0) paused_elsewhere.push({ data_dir: dataDir, paused })
  }
  printResult(context, { items, next_cursor: null, paused_elsewhere }, () =>
    [
      ...(items.length === 0 ? ["No service runs."] : items.map(endedText)),
      ...paused_elsewhere.map(({ data_dir: dataDir, paused }) =>
        paused === null ? `${dataDir}: its store cannot be read` : `${dataDir}: no service, ${paused} paused`,
      ),
    ].join("\n"),
  )
  const isEnded = items.every(({ state, tasks }) => state === "stopped" && tasks.every(({ status }) => isFinal(status)))
  return isEnded ? 0 : 1
}
