import type { CommandModule, CommandRunner } from "../command.ts"
import { startServiceFor } from "../../service/start-service-for.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { printResult } from "../../text/print-result.ts"

/** Adds the command that starts the service before it is needed. */
export const addStart = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
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
