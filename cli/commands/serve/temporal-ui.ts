import { InvalidArgumentError } from "commander"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { bareHost } from "../../../domain/web/loopback-host.ts"
import type { UiAddress } from "../../../server/ui/ui-address.ts"
import { createUiServer, listensOn } from "../../../server/ui/ui-server.ts"
import type { CommandModule } from "../../program/command.ts"
import { collect, nonEmpty, port } from "../../program/option-parsers.ts"
import { untilInterrupted } from "../../host/interrupts.ts"

interface TemporalUiFlags {
  readonly upstream: UiAddress
  readonly host: string
  readonly port: number
  readonly allowHost?: readonly string[]
}

const parseUpstream = (value: string): UiAddress => {
  const [, host, digits] = /^([^\s/@:]+|\[[\d:a-f]+\]):(\d{1,5})$/i.exec(value) ?? []
  const number = Number(digits)
  if (host === undefined || number < 1 || number > 65_535) throw new InvalidArgumentError("It takes host:port.")
  return { host: bareHost(host), port: number }
}

export const temporalUiCommand: CommandModule = (program, run) => {
  program
    .command("temporal-ui")
    .description(
      "Serves a Temporal UI of yours behind checks of Host and Origin, until SIGTERM or SIGINT: the UI itself asks for no login and answers any web page that finds it.",
    )
    .requiredOption("--upstream <host:port>", "where the Temporal UI listens", parseUpstream)
    .option("--host <host>", "where this server listens", nonEmpty, "127.0.0.1")
    .option("--port <port>", "its port; 0: any free one", port, 8080)
    .option("--allow-host <name>", "a host name by which people reach it, besides loopback; may be repeated", collect)
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
