import type { CommandModule } from "../../program/command.ts"
import { untilInterrupted } from "../../host/until-interrupted.ts"

export const workerCommand: CommandModule = (program, run) => {
  program
    .command("worker")
    .description("Serves the tasks of this store until SIGTERM or SIGINT; calls in flight finish before it stops.")
    .action(
      run.onHostOf({ worker: true, daemon: true }, async (context, host) => {
        const { failed } = await host.startWorker()
        context.io.stderr.write("worker ready\n")
        await Promise.race([untilInterrupted(context.interrupts), failed])
        context.io.stderr.write("worker stopping: calls in flight finish first\n")
        return 0
      }),
    )
}
