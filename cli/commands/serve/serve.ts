import type { CommandModule } from "../../program/command.ts"
import { addListenOptions, type ListenFlags } from "../../program/listen-options.ts"
import { untilInterrupted } from "../../host/until-interrupted.ts"

export const serveCommand: CommandModule = (program, run) => {
  const command = program
    .command("serve")
    .description("Serves the HTTP API until SIGTERM or SIGINT; accepted requests are answered first. Brings no worker.")
  addListenOptions(command, "where it listens").action(
    run.onHostOf<ListenFlags>({ daemon: true }, async (context, { serveHttp }, { flags }) => {
      const url = await serveHttp(flags)
      context.io.stderr.write(`listening on ${url}\n`)
      await untilInterrupted(context.interrupts)
      context.io.stderr.write("stopping: accepted requests are answered first\n")
      return 0
    }),
  )
}
