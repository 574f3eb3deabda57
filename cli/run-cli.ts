import { CommanderError } from "commander"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { explain } from "../domain/advice/explain.ts"
import type { ErrorCode } from "../contracts/error-code.ts"
import { createRedact } from "../domain/text/redact.ts"
import { buildProgram, withoutHelpOfNothing } from "./build-program.ts"
import type { Openers } from "./host/hosts.ts"
import type { CliContext } from "./program/cli-context.ts"
import type { ProcessIo } from "./terminal/process-io.ts"
import { paintFor } from "./terminal/paint.ts"
import { shareScreen } from "./terminal/screen.ts"
import { namesNoCommand } from "./program/global-options.ts"
import { type ExitCode, exitCodeOfError, exitCodeOfSignal } from "./terminal/exit-code.ts"
import { Interrupted } from "./terminal/interrupts.ts"
import { oneLine } from "./terminal/plain-text.ts"

/** What a process provides to the command line. */
export interface CliEnvironment extends Omit<CliContext, "options" | "io">, Openers {
  readonly io: ProcessIo
}

/** Parses `argv` (without program names), runs the command and returns its exit code. Never throws. */
export const runCli = async (given: readonly string[], environment: CliEnvironment): Promise<ExitCode> => {
  // Elsewhere, a command line without a command prints the help.
  const argv = environment.person !== undefined && namesNoCommand(given) ? [...given, "chat"] : given
  let exitCode: ExitCode = 0
  const { stdin } = environment.io
  const { env } = environment
  const shared = shareScreen(environment.io)
  const paint = { stdout: paintFor(shared.stdout, env), stderr: paintFor(shared.stderr, env) }
  const io = { ...shared, paint, stdin }
  try {
    const program = await buildProgram(argv, { ...environment, io }, (code) => (exitCode = code))
    await program.parseAsync([...withoutHelpOfNothing(program, argv)], { from: "user" })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const interrupted = environment.interrupts.received()
    if (interrupted !== undefined && error instanceof Interrupted) {
      io.stderr.write("adjutant: interrupted\n")
      return exitCodeOfSignal(interrupted)
    }
    const problem = problemText(error, argv.includes("--verbose"))
    const shown = createRedact(secretsByName(environment.env))(problem)
    io.stderr.write(shown.replaceAll(/^adjutant:/gm, paint.stderr.red))
    return exitCodeOfError(error)
  }
}

const pathOfError = (error: Error): string =>
  "path" in error && typeof error.path === "string" ? error.path : "the data directory"

/** Returns what the machine refused and what to do about it; undefined for any other error. */
const systemProblem = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full: free some space, or choose another directory with --data-dir"
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return `${pathOfError(error)} cannot be read or written (${error.code}): change its owner or mode, or choose another directory with --data-dir`
    case "EMFILE":
    case "ENFILE":
      return "too many files are open: raise the limit (`ulimit -n`) and try again"
    default:
      return undefined
  }
}

const problemText = (error: unknown, verbose: boolean): string => {
  if (isAdjutantError(error) && codesWithLines.has(error.code)) return configProblemLines(error.message)
  if (isAdjutantError(error)) return `adjutant: ${oneLine(explain(error, { kind: "cli" }), 2000)}\n`
  const refused = systemProblem(error)
  if (refused !== undefined && !verbose) return `adjutant: ${refused}\n`
  const summary = oneLine(error instanceof Error ? error.message : String(error), 500)
  if (!verbose) return `adjutant: internal error: ${summary}; run with --verbose for the stack\n`
  return `adjutant: internal error: ${summary}\n${error instanceof Error ? `${error.stack ?? ""}\n` : ""}`
}

/** Errors of a configuration name each key on a line of its own. */
const codesWithLines: ReadonlySet<ErrorCode> = new Set(["invalid_config", "config_not_trusted"])

/** Returns every problem of a configuration, one per line. */
const configProblemLines = (message: string): string =>
  message
    .split("\n")
    .map((line) => `adjutant: ${oneLine(line, 2000)}\n`)
    .join("")

/** Guesses from their names which variables are secrets: the configuration that names them may not have been read. */
const secretsByName = (env: CliEnvironment["env"]): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) ? [value] : [],
  )
