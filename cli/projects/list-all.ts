import type { Session } from "../../contracts/session/session.ts"
import { noTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { type ListFilter, listSessions } from "../../sessions/view/list-sessions.ts"
import { printResult } from "../text/print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { listTable } from "../text/session-text.ts"
import { columnsOf } from "../text/table.ts"
import { projectStores } from "./other-stores.ts"

interface ProjectTasks {
  readonly project: string | null
  readonly data_dir: string
  readonly items: readonly Session[]
}

/** Lists the tasks of every project of this user that match a filter, by project; `limit` is that of each. Starts and writes nothing. */
export const listAllProjects = async (context: CliContext, filter: ListFilter): Promise<ExitCode> => {
  const projects: ProjectTasks[] = []
  for await (const { project, dataDir, store } of projectStores(context.env)) {
    const { items } = await listSessions({ store, temporalUrl: noTemporalUrl }, filter)
    if (items.length > 0) projects.push({ project, data_dir: dataDir, items })
  }
  const all = projects.flatMap(({ items, ...place }) => items.map((item) => ({ ...item, ...place })))
  const columns = columnsOf(context.io.stdout)
  printResult(context, { items: all, next_cursor: null }, (paint) =>
    projects.length === 0
      ? "No tasks."
      : projects
          .map(({ project, data_dir: dataDir, items }) => {
            const table = listTable(items, { now: Date.now(), isNumbered: false, paint, columns })
            return `${oneLine(project ?? dataDir, 500)}\n${table}`
          })
          .join("\n\n"),
  )
  return 0
}
