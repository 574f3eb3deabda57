import type { CommandModule } from "../../program/command.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { createDemoScratch } from "../../demo/demo-scratch.ts"
import { createNarrator, type Narrator } from "../../demo/narrator.ts"
import { playDemo } from "../../demo/play-demo.ts"
import { type ExitCode, exitCodeOfOutcome } from "../../program/exit-code.ts"
import { Interrupted, untilInterrupted } from "../../host/interrupts.ts"
import { printResult } from "../../print-result.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { outcomeText } from "../../text/outcome-text.ts"
import { withHost } from "../../host/with-host.ts"

interface DemoFlags {
  readonly offline?: boolean
  readonly keep?: boolean
}

export const demoCommand: CommandModule = (program, run) => {
  program
    .command("demo")
    .description(
      "Shows an agent that surveys this project's files, pauses for an approval, loses its worker to SIGKILL, and goes on with another one. Uses a scratch directory of its own.",
    )
    .option("--offline", "use the written conversation even where a model's key is set")
    .option("--keep", "afterwards keep the server until Ctrl-C, to look around in the Temporal UI")
    .action(run<DemoFlags>((context, { flags }) => demonstrate(context, flags)))
}

const demonstrate = async (context: CliContext, flags: DemoFlags): Promise<ExitCode> => {
  const { io, options } = context
  const sink = options.output === "text" ? io.stdout : io.stderr
  sink.write("Adjutant demo: an agent outlives its worker.\n")
  const narrator = createNarrator(sink)
  const scratch = await createDemoScratch()
  const place = { cwd: scratch.project, config: scratch.configFile, dataDir: scratch.dataDir }
  narrator.step("A Temporal server starts (the first time ever it is fetched or built, which takes a while)")
  try {
    const exitCode = await withHost(context, (host) => perform(context, host, { scratch, narrator, flags }), { place })
    await scratch.remove()
    return exitCode
  } catch (error) {
    if (error instanceof Interrupted) await scratch.remove()
    // The server's log is in there, and the message names it.
    else narrator.detail(`The demo failed; its folder stays for a look: ${scratch.folder}`)
    throw error
  }
}

interface Performance {
  readonly scratch: Awaited<ReturnType<typeof createDemoScratch>>
  readonly narrator: Narrator
  readonly flags: DemoFlags
}

const perform = async (
  context: CliContext,
  host: SessionHost,
  { scratch, narrator, flags }: Performance,
): Promise<ExitCode> => {
  narrator.detail(
    `ready at ${host.server.address}${host.server.uiUrl === undefined ? "" : `, its UI at ${host.server.uiUrl}`}`,
  )
  const document = await playDemo({ context, host, scratch, narrator, offline: flags.offline === true })
  const { problem } = outcomeText(document)
  if (problem !== undefined)
    context.io.stderr.write(`adjutant: ${problem}; \`adjutant demo --offline\` needs no model.\n`)
  narrator.detail(`Temporal UI: ${host.server.uiUrl ?? "not known"}`)
  if (context.options.output !== "text") printResult(context, document, () => "")
  if (flags.keep === true) {
    narrator.step("The server stays until Ctrl-C")
    await untilInterrupted(context.interrupts)
  } else if (host.server.kind === "embedded") {
    narrator.detail(
      "The demo's server stops now; with --keep it stays, and `adjutant dev` keeps one for your own work.",
    )
  }
  return exitCodeOfOutcome(document)
}
