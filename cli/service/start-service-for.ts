import path from "node:path"
import type { FoundService } from "../../service/ask-service.ts"
import { givenVariables, type ServiceStart } from "../../service/read-service-start.ts"
import { ensureService } from "../../service/start-service.ts"
import type { CliContext } from "../program/cli-context.ts"
import { createProgressLines } from "../terminal/progress-lines.ts"

type Command = Pick<CliContext, "cwd" | "options" | "env" | "io" | "interrupts">

/** Returns where a command reads its configuration, as a service reads it for the command. */
export const placeOfCommand = ({ cwd, options }: Pick<CliContext, "cwd" | "options">) => ({
  cwd,
  config_path: options.config === undefined ? null : path.resolve(cwd, options.config),
  is_trusted: options.trust === true,
})

/** Returns what this command passes to a service that it starts. The environment goes through a pipe, and stays in the memory of the service. */
const startFrom = ({ cwd, options, env }: Command, dataDir: string): ServiceStart => ({
  cwd,
  argv: [
    ...["--data-dir", dataDir],
    ...(options.config === undefined ? [] : ["--config", path.resolve(cwd, options.config)]),
    ...(options.trust === true ? ["--trust"] : []),
    ...(options.verbose ? ["--verbose"] : []),
  ],
  env: givenVariables(env),
})

/** Returns the service of a data directory. If none answers, this command starts it and shows the progress. */
export const startServiceFor = (context: Command, dataDir: string): Promise<FoundService> => {
  const { signal } = context.interrupts
  const progress = createProgressLines(context)
  return ensureService({
    dataDir,
    start: startFrom(context, dataDir),
    nodeOptions: process.execArgv,
    onProgress: progress.show,
    // A command that was interrupted needs the service to cancel its run.
    signal: signal.aborted ? new AbortController().signal : signal,
  }).finally(progress.end)
}
