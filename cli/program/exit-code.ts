import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { errorTable } from "../../contracts/error-code.ts"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"

/** The exit codes of every command, which shells, CI systems and parent processes read. */
export type ExitCode = 0 | 1 | 2 | 10 | 130 | 143

export type InterruptSignal = "SIGINT" | "SIGTERM"

const exitCodeByOutcome = {
  completed: 0,
  started: 0,
  failed: 1,
  paused: 10,
} as const satisfies Record<OutcomeDocument["outcome"], ExitCode>

export const exitCodeOfOutcome = (document: OutcomeDocument): ExitCode => exitCodeByOutcome[document.outcome]

export const exitCodeOfSignal = (signal: InterruptSignal): ExitCode => (signal === "SIGINT" ? 130 : 143)

/** Returns the exit code of an error: 1 for a bug or a problem of the machine. */
export const exitCodeOfError = (error: unknown): ExitCode => (isAdjutantError(error) ? errorTable[error.code].exit : 1)
