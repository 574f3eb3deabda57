import type { CommandModule, CommandRunner } from "../command.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { ServiceStatus } from "../../../contracts/service/service-status.ts"
import { findService } from "../../../service/ask-service.ts"
import { serviceFiles } from "../../../service/service-files.ts"
import { lastLogLines } from "../../../service/service-log.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { addInstall } from "./install.ts"
import { addRun } from "./run.ts"
import { addStop } from "./stop.ts"
import { startServiceFor } from "../../service/start-service-for.ts"

const dataDirOf = async (context: CliContext): Promise<string> =>
  (await loadHostConfig(context, { isReading: true })).dataDir

const runningText = (status: ServiceStatus, dataDir: string): string =>
  [
    `Service   running since ${status.started_at} (pid ${status.pid}, version ${status.version}, ${status.kind})`,
    `Tasks     ${status.running} running, ${status.pending} waiting to start, ${status.paused} paused`,
    `HTTP      ${status.url ?? "on its socket only"}`,
    `Data      ${dataDir}`,
    `Log       ${serviceFiles(dataDir).log}`,
    `Idle end  ${status.kept_by === null ? "when nothing has run for service.idleMinutes" : `not while ${status.kept_by}`}`,
  ].join("\n")

const addStatus = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("status")
    .description("Show whether the service of this data directory runs, and what it does. Starts nothing.")
    .action(
      run(async (context) => {
        const dataDir = await dataDirOf(context)
        const found = await findService(dataDir)
        const { log } = serviceFiles(dataDir)
        const document =
          found === undefined
            ? { state: "stopped", data_dir: dataDir, log }
            : { state: "running", data_dir: dataDir, log, socket: found.socket, ...found.status }
        printResult(context, document, () =>
          found === undefined
            ? `Service   not running\nData      ${dataDir}\nLog       ${log}`
            : runningText(found.status, dataDir),
        )
        return 0
      }),
    )
}

/** Adds the command that starts the service before it is needed. */
const addStart = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("start")
    .description("Start the service of this data directory, if it does not run")
    .action(
      run(async (context) => {
        const { dataDir } = await loadHostConfig(context)
        const { status } = await startServiceFor(context, dataDir)
        printResult(
          context,
          { state: "running", data_dir: dataDir, ...status },
          () => `The service runs (pid ${status.pid})${status.url === null ? "" : ` and listens on ${status.url}`}.`,
        )
        return 0
      }),
    )
}

interface LogFlags {
  readonly lines: number
}

const addLogs = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("logs")
    .description("Print the last lines of the service's log")
    .option("--lines <n>", "Print this many lines", positiveInteger(10_000), 50)
    .action(
      run<LogFlags>(async (context, { flags }) => {
        const { log } = serviceFiles(await dataDirOf(context))
        for (const line of lastLogLines(log, flags.lines)) context.io.stdout.write(`${line}\n`)
        return 0
      }),
    )
}

/** Adds the commands about the process that does the work of a data directory. */
export const serviceCommand: CommandModule = (program, run) => {
  const service = program
    .command("service")
    .description("Start, stop and show the process that does the work of a data directory in the background")
  addStatus(service, run)
  addStart(service, run)
  addStop(service, run)
  addLogs(service, run)
  addInstall(service, run)
  addRun(service, run)
}
