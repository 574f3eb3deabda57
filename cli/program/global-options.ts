import { type Command, Option } from "commander"

export const outputFormats = ["text", "json", "ndjson"] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Understood by every command, before or after its name. */
export interface GlobalOptions {
  readonly output: OutputFormat
  readonly verbose: boolean
  readonly config?: string
  readonly dataDir?: string
}

export const addGlobalOptions = (program: Command): Command =>
  program
    .addOption(new Option("--output <format>", "how the result is printed").choices(outputFormats).default("text"))
    .option("--verbose", "also log what happens inside, on stderr", false)
    .option("--config <file>", "configuration file (default: adjutant.config.yaml, or ADJUTANT_CONFIG)")
    .option("--data-dir <dir>", "where the engine and the store keep their files (default: .adjutant in the project)")
