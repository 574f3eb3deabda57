import { Command, Option } from "commander"

export const outputFormats = ["text", "json", "ndjson"] as const
export type OutputFormat = (typeof outputFormats)[number]

/** The options of every command, before or after its name. */
export interface GlobalOptions {
  readonly output: OutputFormat
  readonly verbose: boolean
  readonly config?: string
  readonly dataDir?: string
  readonly trust?: boolean
  readonly server?: string
}

export const addGlobalOptions = (program: Command): Command =>
  program
    .addOption(
      new Option("--output <format>", "Print the result in this format").choices(outputFormats).default("text"),
    )
    .option("--verbose", "Log internal events on stderr as well", false)
    .option("--config <file>", "Read this configuration file (default: ADJUTANT_CONFIG, or else adjutant.config.yaml)")
    .option(
      "--data-dir <dir>",
      "Keep the store and the embedded server in this directory (default: ADJUTANT_DATA_DIR, or else the project's in your state folder)",
    )
    .option(
      "--trust",
      "Accept the configuration of the project for this command (default: ADJUTANT_TRUST=1, or else ask)",
    )
    .option(
      "--server <url>",
      "Use the HTTP API of this server, with the token in ADJUTANT_API_TOKEN, for run, chat, resume, wait, list, info, log, diff, approvals, send, steer, cancel, kill, stop, retry, grant, grants, revoke, audit, usage, agents and schedule (default: the store and Temporal of this machine)",
    )

/** Returns whether a command line has options of every command only, and names none. */
export const namesNoCommand = (argv: readonly string[]): boolean => {
  try {
    const program = addGlobalOptions(new Command())
      .exitOverride()
      .configureOutput({ outputError: () => undefined })
    const { operands, unknown } = program.parseOptions([...argv])
    return operands.length === 0 && unknown.length === 0
  } catch {
    return false
  }
}

/** Adds what `adjutant help options` shows: the help of each command names it in place of these options. */
export const addOptionsTopic = (program: Command): Command => {
  program
    .command("options", { hidden: true })
    .description("Show the options that every command accepts, before or after its name")
    .helpOption(false)
    .configureHelp({
      showGlobalOptions: true,
      commandUsage: () => "adjutant <command> [options]",
    })
    .action(function (this: Command) {
      this.outputHelp()
    })
  return program
}
