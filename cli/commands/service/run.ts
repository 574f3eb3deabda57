import { Option } from "commander"
import { startLine } from "../../../service/start-service.ts"
import type { ServiceEnd } from "../../../service/run-service.ts"
import { serveSomewhere } from "../../../service/serve-somewhere.ts"
import type { CommandModule, CommandRunner } from "../command.ts"
import type { CommandContext } from "../../host/hosts.ts"
import { untilServiceEnds, withService } from "../../host/with-service.ts"

interface RunFlags {
  readonly fromStdin?: boolean
}

const endText = (end: ServiceEnd | undefined): string => {
  if (end?.by === "idle") return "nothing to do"
  return end?.now === true ? "calls in flight are not waited for" : "calls in flight finish first"
}

const serve = (context: CommandContext, isStarted: boolean) =>
  withService(
    context,
    {
      ...{ worker: true, mustHold: true, kind: isStarted ? "on-demand" : "foreground" },
      ...(isStarted ? { onProgress: (line) => void context.io.stdout.write(startLine({ progress: line })) } : {}),
    },
    async (host) => {
      const { failed } = await host.startWorker({ mayGoBack: !isStarted })
      const { dataDir, config } = host.loaded
      const http = await serveSomewhere({
        dataDir,
        configured: config.http.port,
        serve: host.serveHttp,
        warn: host.warn,
      })
      const { ended } = await host.serveHeld(http)
      if (isStarted) context.io.stdout.write(startLine({ ready: true }))
      context.io.stderr.write(`service ready${http.url === undefined ? "" : `, listening on ${http.url}`}\n`)
      const end = await untilServiceEnds(context, { ended, failed })
      context.io.stderr.write(`service stopping: ${endText(end)}\n`)
      return 0
    },
  )

/** Adds the command of the service's own process, which other commands start and which init systems run. */
export const addRun = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("run", { hidden: true })
    .description("Run the service in the foreground until SIGTERM or SIGINT")
    .addOption(new Option("--from-stdin").hideHelp())
    .action(run<RunFlags>((context, { flags }) => serve(context, flags.fromStdin === true)))
}
