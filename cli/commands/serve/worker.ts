import type { CommandModule } from "../../program/command.ts"
import { untilInterrupted } from "../../host/until-interrupted.ts"
import { withHost } from "../../host/with-host.ts"

export const workerCommand: CommandModule = (program, run) => {
  program
    .command("worker")
    .description("Serves the tasks of this store until SIGTERM or SIGINT; calls in flight finish before it stops.")
    .action(
      run((context) =>
        withHost(
          context,
          async (host) => {
            const { failed } = await host.startWorker()
            context.io.stderr.write("worker ready\n")
            await Promise.race([untilInterrupted(context.interrupts), failed])
            context.io.stderr.write("worker stopping: calls in flight finish first\n")
            return 0
          },
          { worker: true, daemon: true },
        ),
      ),
    )
}
