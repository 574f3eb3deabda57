import type { Command } from "commander"
import { nonEmpty, port } from "../../program/option-parsers.ts"
import type { CommandModule } from "../../program/command.ts"
import { untilInterrupted } from "../../host/interrupts.ts"
import { printResult } from "../../print-result.ts"

export interface ListenFlags {
  readonly host?: string
  readonly port?: number
}

/** Adds `--host` and `--port` of the HTTP API; `whereText` describes the host. */
export const addListenOptions = (command: Command, whereText: string): Command =>
  command
    .option("--host <host>", `${whereText} (default: http.host, 127.0.0.1)`, nonEmpty)
    .option("--port <port>", "its port; 0: any free one (default: http.port, 7420)", port)

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

export const devCommand: CommandModule = (program, run) => {
  const command = program
    .command("dev")
    .description(
      "Runs a Temporal server, a worker and the HTTP API in one go, prints where to find them, and stops with SIGINT or SIGTERM.",
    )
  addListenOptions(command, "where the HTTP API listens").action(
    run.onHostOf<ListenFlags>(
      { worker: true, daemon: true },
      async (context, { server, loaded, startWorker, serveHttp }, { flags }) => {
        const { failed } = await startWorker()
        const url = await serveHttp(flags)
        const document = {
          http: url,
          temporal_address: server.address,
          temporal_namespace: server.namespace,
          temporal_ui: server.uiUrl ?? null,
          data_dir: loaded.dataDir,
          config: loaded.configPath,
        }
        printResult(context, document, () =>
          [
            `HTTP          ${url}`,
            `Temporal      ${server.address} (namespace ${server.namespace}, ${server.kind})`,
            `Temporal UI   ${server.uiUrl ?? "not known"}`,
            `Data          ${loaded.dataDir}`,
            `Configuration ${loaded.configPath ?? "none, defaults are used"}`,
          ].join("\n"),
        )
        context.io.stderr.write(`worker ready\nlistening on ${url}\n`)
        await Promise.race([untilInterrupted(context.interrupts), failed])
        context.io.stderr.write("stopping: calls in flight finish first\n")
        return 0
      },
    ),
  )
}
