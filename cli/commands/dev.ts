import type { CommandModule } from "../build-program.ts"
import { printResult } from "../print-result.ts"
import { untilInterrupted } from "../until-interrupted.ts"
import { withHost } from "../with-host.ts"

export const devCommand: CommandModule = (program, run) => {
  program
    .command("dev")
    .description(
      "Runs a Temporal server and a worker in one go, prints where to find them, and stops with SIGINT or SIGTERM.",
    )
    .action(
      run((context) =>
        withHost(
          context,
          async ({ server, loaded, startWorker }) => {
            const { failed } = await startWorker()
            const document = {
              temporal_address: server.address,
              temporal_namespace: server.namespace,
              temporal_ui: server.uiUrl ?? null,
              data_dir: loaded.dataDir,
              config: loaded.configPath,
            }
            printResult(context, document, () =>
              [
                `Temporal      ${server.address} (namespace ${server.namespace}, ${server.kind})`,
                `Temporal UI   ${server.uiUrl ?? "not known"}`,
                `Data          ${loaded.dataDir}`,
                `Configuration ${loaded.configPath ?? "none, defaults are used"}`,
              ].join("\n"),
            )
            context.io.stderr.write("worker ready\n")
            await Promise.race([untilInterrupted(context.interrupts), failed])
            context.io.stderr.write("stopping: calls in flight finish first\n")
            return 0
          },
          { worker: true, daemon: true },
        ),
      ),
    )
}
