import path from "node:path"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import type { CliContext } from "./cli-context.ts"
import type { GlobalOptions } from "./global-options.ts"

/** What of a command says where its tasks are. */
export interface Place extends Pick<CliContext, "cwd"> {
  readonly options: Pick<GlobalOptions, "config" | "dataDir" | "server">
}

/** Returns the options with which a later command, in any directory, finds the tasks of this one. `directory`: the value of its `--cwd`, if it had one. */
export const placeFlags = (
  { cwd, options: { config, dataDir, server } }: Place,
  directory?: string,
): readonly string[] => [
  ...(config === undefined ? [] : ["--config", path.resolve(cwd, config)]),
  ...(dataDir === undefined ? [] : ["--data-dir", path.resolve(cwd, dataDir)]),
  ...(directory === undefined ? [] : ["--cwd", directory]),
  ...(server === undefined ? [] : ["--server", server]),
]

/** Returns a command for the shell with these words at its end. */
export const withWords = (command: string, words: readonly string[]): string =>
  [command, ...words.map(shellQuote)].join(" ")
