import path from "node:path"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import type { CliContext } from "./cli-context.ts"
import type { GlobalOptions } from "./global-options.ts"

/** What of a command says where its tasks are. */
export interface TaskPlace extends Pick<CliContext, "cwd"> {
  readonly options: Pick<GlobalOptions, "config" | "dataDir" | "server">
}

/** Returns the options that a later command needs to find the tasks of this one from any directory. `directory`: the value of `--cwd`, if it was given. */
export const placeFlags = (
  { cwd, options: { config, dataDir, server } }: TaskPlace,
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
