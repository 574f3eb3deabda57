import { listDataDirs } from "../../../config/data-dir/list-data-dirs.ts"
import type { StopReport } from "../../../contracts/http/stop.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { type FoundService, findService, requestStop, stopTasks } from "../../../service/ask-service.ts"
import { serviceFolder } from "../../../service/service-files.ts"
import { waitForEnd } from "../../../service/hold-service.ts"
import { sessionPages } from "../../../sessions/rows/page.ts"
import { projectStores } from "../../projects/other-stores.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import { printResult } from "../../text/print-result.ts"

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

/** Returns the projects with paused tasks, except those in these data directories. */
const pausedElsewhere = async (env: CliContext["env"], except: ReadonlySet<string>) => {
  const found: { readonly data_dir: string; readonly paused: number }[] = []
  for await (const { dataDir, store } of projectStores(env)) {
    if (except.has(dataDir)) continue
    let paused = 0
    for await (const page of sessionPages(store, { status: "paused" })) paused += page.length
    if (paused > 0) found.push({ data_dir: dataDir, paused })
  }
  return found
}

const endProject = async (
  { dataDir, service }: Project & { readonly service: FoundService },
  signal: AbortSignal,
): Promise<Ended> => {
  let tasks: StopReport["items"] = []
  try {
    tasks = (await stopTasks(service.socket)).items
    await requestStop(service.socket, { now: false, by: "person" })
    return { data_dir: dataDir, state: (await waitForEnd(dataDir, signal)) ? "stopped" : "stopping", tasks }
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
    (await listDataDirs(env, serviceFolder)).map(async ({ dataDir }) => ({
      dataDir,
      service: await findService(dataDir),
    })),
  )
  const served = projects.filter(hasService)
  for (const project of served) io.stderr.write(plan(project))
  const question = "End these services and cancel every open task in them? [y/N] "
  if (served.length > 0 && !yes && confirm !== undefined && !(await confirm(question))) {
    io.stderr.write("nothing was stopped\n")
    return 1
  }
  const items = await Promise.all(served.map((project) => endProject(project, interrupts.signal)))
  const paused_elsewhere = await pausedElsewhere(env, new Set(served.map(({ dataDir }) => dataDir)))
  printResult(context, { items, next_cursor: null, paused_elsewhere }, () =>
    [
      ...(items.length === 0 ? ["No service runs."] : items.map(endedText)),
      ...paused_elsewhere.map(({ data_dir: dataDir, paused }) => `${dataDir}: no service, ${paused} paused`),
    ].join("\n"),
  )
  const isEnded = items.every(({ state, tasks }) => state === "stopped" && tasks.every(({ status }) => isFinal(status)))
  return isEnded ? 0 : 1
}
