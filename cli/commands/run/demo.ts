import type { CommandModule } from "../command.ts"
import { createDemoScratch } from "../../demo/demo-scratch.ts"
import { createNarrator, type Narrator } from "../../demo/narrator.ts"
import { playDemo } from "../../demo/play-demo.ts"
import { type ExitCode, exitCodeOfOutcome } from "../../terminal/exit-code.ts"
import { Interrupted, untilInterrupted } from "../../terminal/interrupts.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandContext, SessionHost } from "../../host/hosts.ts"
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
      "Show an agent that surveys this project's files, loses its worker to SIGKILL, continues with another one, and pauses for an approval. Uses its own temporary directory.",
    )
    .option("--offline", "Use the scripted model even if an API key is set")
    .option("--keep", "Keep the server until Ctrl-C, to explore the Temporal UI")
    .action(run<DemoFlags>((context, { flags }) => demonstrate(context, flags)))
}

const demonstrate = async (context: CommandContext, flags: DemoFlags): Promise<ExitCode> => {
  const { io, options } = context
  const sink = options.output === "text" ? io.stdout : io.stderr
  sink.write("Adjutant demo: an agent survives the crash of its worker.\n")
  const narrator = createNarrator(sink)
  const scratch = await createDemoScratch()
  const place = { cwd: scratch.project, config: scratch.configFile, dataDir: scratch.dataDir }
  narrator.step("Starting a Temporal server (the first start downloads or builds it, which takes a while)")
  try {
    const exitCode = await withHost(context, "engine", (host) => perform(context, host, { scratch, narrator, flags }), {
      place,
    })
    await scratch.remove()
    return exitCode
  } catch (error) {
    if (error instanceof Interrupted) await scratch.remove()
    // The directory contains the server's log, and the message names it.
    else narrator.detail(`The demo failed; its directory is kept: ${scratch.folder}`)
    throw error
  }
}

interface Performance {
  readonly scratch: Awaited<ReturnType<typeof createDemoScratch>>
  readonly narrator: Narrator
  readonly flags: DemoFlags
}

const perform = async (
  context: CommandContext,
  host: SessionHost,
  { scratch, narrator, flags }: Performance,
): Promise<ExitCode> => {
  narrator.detail(
    `ready at ${host.server.address}${host.server.uiUrl === undefined ? "" : `; Temporal UI at ${host.server.uiUrl}`}`,
  )
  const document = await playDemo({ context, host, scratch, narrator, offline: flags.offline === true })
  const { problem } = outcomeText(document)
  if (problem !== undefined)
    context.io.stderr.write(`adjutant: ${problem}; \`adjutant demo --offline\` needs no model.\n`)
  if (context.options.output !== "text") printResult(context, document, () => "")
  if (flags.keep === true) {
    narrator.step(`The server runs until Ctrl-C; Temporal UI: ${host.server.uiUrl ?? "unknown"}`)
    await untilInterrupted(context.interrupts)
  } else if (host.server.kind === "embedded") {
    narrator.detail("The demo's server stops now. Use --keep to keep it, and `adjutant dev` for your own work.")
  }
  return exitCodeOfOutcome(document)
}
