import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { errorTable } from "../../contracts/error-code.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"

/** The exit codes of every command, which shells, CI systems and parent processes read. */
export type ExitCode = 0 | 1 | 2 | 10 | 129 | 130 | 143

/** SIGHUP: the terminal was closed. */
export type InterruptSignal = "SIGHUP" | "SIGINT" | "SIGTERM"

const exitCodeBySignal = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<InterruptSignal, ExitCode>

const exitCodeByOutcome = {
  completed: 0,
  started: 0,
  failed: 1,
  paused: 10,
} as const satisfies Record<OutcomeDocument["outcome"], ExitCode>

export const exitCodeOfOutcome = (document: OutcomeDocument): ExitCode => exitCodeByOutcome[document.outcome]

export const exitCodeOfSignal = (signal: InterruptSignal): ExitCode => exitCodeBySignal[signal]

/** Returns the exit code of an error: 1 for a bug or a problem of the machine. */
export const exitCodeOfError = (error: unknown): ExitCode => (isAdjutantError(error) ? errorTable[error.code].exit : 1)

/** What exit codes of a command mean, where they differ from `commonExits`. */
export type ExitMeanings = Readonly<Partial<Record<ExitCode, string>>>

/** Exit codes of every command. */
export const commonExits: ExitMeanings = {
  0: "the command succeeded",
  1: "the command failed",
  2: "the usage or the configuration is wrong",
  129: "the terminal was closed",
  130: "the command was interrupted by SIGINT",
  143: "the command was interrupted by SIGTERM",
}

/** Exit codes of the commands that follow a run. */
export const runExits: ExitMeanings = {
  0: "the run completed, or was started with --detach",
  1: "the run failed, was cancelled, or reached a limit",
  10: "the run is paused",
  129: "the terminal was closed; the run continues in the service",
}
