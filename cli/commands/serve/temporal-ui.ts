import { InvalidArgumentError } from "commander"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { bareHost } from "../../../domain/web/loopback-host.ts"
import type { UiAddress } from "../../../server/ui/ui-address.ts"
import { createUiServer, listensOn } from "../../../server/ui/ui-server.ts"
import type { CommandModule } from "../command.ts"
import { collect, nonEmpty, port } from "../../program/option-parsers.ts"
import { untilInterrupted } from "../../terminal/interrupts.ts"

interface TemporalUiFlags {
  readonly upstream: UiAddress
  readonly host: string
  readonly port: number
  readonly allowHost?: readonly string[]
}

const parseUpstream = (value: string): UiAddress => {
  const [, host, digits] = /^([^\s/@:]+|\[[\d:a-f]+\]):(\d{1,5})$/i.exec(value) ?? []
  const number = Number(digits)
  if (host === undefined || number < 1 || number > 65_535) throw new InvalidArgumentError("use host:port")
  return { host: bareHost(host), port: number }
}

export const temporalUiCommand: CommandModule = (program, run) => {
  program
    .command("temporal-ui")
    .description(
      "Serve a Temporal UI behind a proxy that checks Host and Origin, until SIGTERM or SIGINT. The UI itself has no login and answers requests from any web page.",
    )
    .requiredOption("--upstream <host:port>", "Serve the Temporal UI that listens at this address", parseUpstream)
    .option("--host <host>", "Listen on this address", nonEmpty, "127.0.0.1")
    .option("--port <port>", "Listen on this port; 0: any free port", port, 8080)
    .option(
      "--allow-host <name>",
      "Accept requests for this host name, in addition to loopback; can be repeated",
      collect,
    )
    .action(
      run<TemporalUiFlags>(async ({ io, interrupts }, { flags }) => {
        const names = new Set((flags.allowHost ?? []).map(bareHost))
        const server = createUiServer({ ui: () => flags.upstream, names })
        if (!(await listensOn(server.http, flags.host, flags.port)))
          throw new AdjutantError("port_in_use", `cannot listen on ${flags.host}:${flags.port}; choose another --port`)
        const address = server.http.address()
        const bound = typeof address === "object" && address !== null ? address.port : flags.port
        io.stderr.write(`listening on http://${flags.host.includes(":") ? `[${flags.host}]` : flags.host}:${bound}\n`)
        await untilInterrupted(interrupts)
        await server.close()
        return 0
      }),
    )
}
