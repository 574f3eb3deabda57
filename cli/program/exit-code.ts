import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { errorTable } from "../../contracts/error-code.ts"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"

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
