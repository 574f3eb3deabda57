import type { CommandModule } from "../../program/command.ts"
import { nonEmpty, port } from "../../program/option-parsers.ts"
import { untilInterrupted } from "../../host/until-interrupted.ts"
import { withHost } from "../../host/with-host.ts"

interface ServeFlags {
  readonly host?: string
  readonly port?: number
}

export const serveCommand: CommandModule = (program, run) => {
  program
    .command("serve")
    .description("Serves the HTTP API until SIGTERM or SIGINT; accepted requests are answered first. Brings no worker.")
    .option("--host <host>", "where it listens (default: http.host, 127.0.0.1)", nonEmpty)
    .option("--port <port>", "its port; 0: any free one (default: http.port, 7420)", port)
    .action(
      run<ServeFlags>((context, { flags }) =>
        withHost(
          context,
          async ({ serveHttp }) => {
            const url = await serveHttp(flags)
            context.io.stderr.write(`listening on ${url}\n`)
            await untilInterrupted(context.interrupts)
            context.io.stderr.write("stopping: accepted requests are answered first\n")
            return 0
          },
          { daemon: true },
        ),
      ),
    )
}
