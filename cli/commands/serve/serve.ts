import type { Command } from "commander"
import { nonEmpty, port } from "../../program/option-parsers.ts"
import type { CommandModule } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { type HeldHost, never, untilServiceEnds, withService } from "../../host/with-service.ts"

export interface ListenFlags {
  readonly host?: string
  readonly port?: number
}

/** Adds `--host` and `--port` of the HTTP API. */
export const addListenOptions = (command: Command): Command =>
  command
    .option("--host <host>", "Listen on this address (default: http.host, or 127.0.0.1)", nonEmpty)
    .option("--port <port>", "Listen on this port; 0: any free port (default: http.port, or 7420)", port)

export const serveCommand: CommandModule = (program, run) => {
  const command = program
    .command("serve")
    .description(
      "Serve the HTTP API until SIGTERM or SIGINT; accepted requests are answered first. With PostgreSQL it starts no worker; otherwise it does the work, unless another process of the data directory does.",
    )
  addListenOptions(command).action(
    run<ListenFlags>((context, { flags }) =>
      withService(context, { kind: "foreground", attaches: true }, async (host) => {
        const { failed } = host.isService ? await host.startWorker() : { failed: never }
        const http = await host.serveHttp(flags)
        const { ended } = await host.serveHeld(http)
        context.io.stderr.write(`listening on ${http.url}\n`)
        await untilServiceEnds(context, { ended, failed })
        context.io.stderr.write("stopping: accepted requests are answered first\n")
        return 0
      }),
    ),
  )
}

interface WorkerFlags {
  readonly metricsPort?: number
}

export const workerCommand: CommandModule = (program, run) => {
  program
    .command("worker")
    .description("Run the tasks of this store until SIGTERM or SIGINT; calls in flight finish first")
    .option(
      "--metrics-port <port>",
      "Serve the metrics of Temporal's library at this port of loopback (default: none)",
      port,
    )
    .action(
      run<WorkerFlags>((context, { flags: { metricsPort } }) =>
        withService(context, { worker: true, kind: "foreground", attaches: true }, async (host) => {
          const { failed } = await host.startWorker(metricsPort === undefined ? {} : { metricsPort })
          const { ended } = host.isService
            ? await host.serveHeld(await host.serveHttp({ onlyLocally: true }))
            : { ended: never }
          context.io.stderr.write("worker ready\n")
          await untilServiceEnds(context, { ended, failed })
          context.io.stderr.write(`worker stopping: ${stopHint}\n`)
          return 0
        }),
      ),
    )
}

/** What stopping waits for, and how a person ends that. */
const stopHint =
  "calls in flight finish first; press Ctrl-C again to stop now, which records calls that cannot be repeated as outcome unknown"

const devAddresses = (
  { server, loaded }: Pick<HeldHost, "server" | "loaded">,
  { url, link }: { readonly url: string | undefined; readonly link: string | undefined },
) => ({
  document: {
    http: url,
    page: link ?? url,
    temporal_address: server.address,
    temporal_namespace: server.namespace,
    temporal_ui: server.uiUrl ?? null,
    data_dir: loaded.dataDir,
    config: loaded.configPath,
  },
  text: [
    `HTTP          ${url}`,
    ...(link === undefined ? [] : [`Web page      ${link} (works once, for 15 minutes)`]),
    `Temporal      ${server.address} (namespace ${server.namespace}, ${server.kind})`,
    `Temporal UI   ${server.uiUrl ?? "unknown"}`,
    `Data          ${loaded.dataDir}`,
    `Configuration ${loaded.configPath ?? "none; every setting has its default"}`,
  ].join("\n"),
})

export const devCommand: CommandModule = (program, run) => {
  const command = program
    .command("dev")
    .description(
      "Run a Temporal server, a worker and the HTTP API in one process, and print their addresses, until SIGINT or SIGTERM",
    )
  addListenOptions(command).action(
    run<ListenFlags>((context, { flags }) =>
      withService(context, { worker: true, kind: "foreground" }, async (host) => {
        const { failed } = await host.startWorker()
        const http = await host.serveHttp(flags)
        const { ended } = await host.serveHeld(http)
        const { document, text } = devAddresses(host, { url: http.url, link: http.pageLink() })
        printResult(context, document, () => text)
        context.io.stderr.write(`worker ready\nlistening on ${http.url}\n`)
        await untilServiceEnds(context, { ended, failed })
        context.io.stderr.write(`stopping: ${stopHint}\n`)
        return 0
      }),
    ),
  )
}
