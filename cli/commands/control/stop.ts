import type { StopReport } from "../../../contracts/http/stop.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { printResult } from "../../text/print-result.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import type { TaskHost } from "../../host/hosts.ts"
import { withHost } from "../../host/with-host.ts"
import type { CommandModule } from "../command.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { table } from "../../text/table.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface StopFlags {
  readonly all?: boolean
  readonly allProjects?: boolean
  readonly yes?: boolean
}

const maxTitle = 50

const reportText = ({ items }: StopReport): string =>
  items.length === 0
    ? "Nothing to stop: no task is open."
    : table(
        ["TASK", "BELOW", "AGENT", "WAS", "NOW", "TITLE"],
        items.map((item) => [
          item.session_id,
          item.parent_session_id ?? "",
          oneLine(item.agent, maxTitle),
          item.previous_status,
          item.status,
          oneLine(item.title ?? "", maxTitle),
        ]),
      )

const question = "Cancel every open task of this store and everything below it? [y/N] "

/** Asks the person at the terminal, if there is one. */
const isConfirmed = async ({ confirm }: Pick<CliContext, "confirm">, { yes }: StopFlags): Promise<boolean> =>
  yes === true || confirm === undefined || (await confirm(question))

export const stopCommand: CommandModule = (program, run) => {
  program
    .command("stop")
    .description("Cancel every open task of this store and everything below it, and list what was cancelled")
    .option("--all", "Stop every task of this store (required without --all-projects)")
    .option(
      "--all-projects",
      "List the services that run in the default data directories of this user's projects, then end them and every task in them",
    )
    .option("--yes", "Skip the confirmation at a terminal")
    .action(
      run<StopFlags>(async (context, { flags }) => {
        if (flags.allProjects === true) {
          if (context.options.server !== undefined)
            throw wrongUsage("--all-projects works on this machine only: omit --server")
          return (await import("./stop-all-projects.ts")).stopAllProjects(context, { yes: flags.yes === true })
        }
        if (flags.all !== true) throw wrongUsage("stop requires --all; to stop one task, run adjutant cancel <task id>")
        return await withHost(context, "tasks", (host) => stopEveryTask(context, host, flags))
      }),
    )
}

const stopEveryTask = async (context: CliContext, host: TaskHost, flags: StopFlags): Promise<ExitCode> => {
  if (!(await isConfirmed(context, flags))) {
    host.warn("nothing was cancelled")
    return 1
  }
  await host.warnWithoutWorker()
  const report = await host.client.stopAll(commandLineActor())
  printResult(context, report, () => reportText(report))
  if (report.items.every(({ status }) => isFinal(status))) return 0
  host.warn('some tasks are still stopping: run "adjutant list" to see them')
  return 1
}
