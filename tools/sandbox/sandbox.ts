import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"

/** A process to run for a tool. */
export interface SandboxCommand {
  /** Passed to `bash -c`. */
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Where the whole output is kept. */
  readonly outputFile: string
  /** Bytes kept in memory for the result, from the start and the end. */
  readonly maxOutputBytes: number
  /** True: the tool does not wait; the process lives until the run ends. */
  readonly background?: boolean
  /** Groups background processes so that a run's end can stop them. */
  readonly ownerId: string
  /** Absolute directories that a confined process must not see, though they lie inside `cwd`. */
  readonly hiddenDirs?: readonly string[]
}

export interface SandboxResult {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly aborted: boolean
  /** stdout and stderr interleaved, cut in the middle when longer than `maxOutputBytes`. */
  readonly output: string
  readonly outputBytes: number
  readonly truncated: boolean
  /** Process id of a background process. */
  readonly pid?: number
}

/** A program to run by itself, without a shell: what it reads and what it writes are kept apart. */
export interface SandboxProgram {
  /** Absolute, or a name to be found on the PATH of `env`. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Written to its standard input, which is then closed. */
  readonly stdin: string
  readonly timeoutMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number
  readonly signal: AbortSignal
  readonly ownerId: string
  /** A program that writes more to its standard output is stopped. */
  readonly maxStdoutBytes: number
  /** Bytes of the end of standard error that are kept. */
  readonly maxStderrBytes: number
  readonly hiddenDirs?: readonly string[]
}

export interface ProgramResult {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it was stopped; null where it ended by itself. */
  readonly stoppedFor: "timeout" | "abort" | "output" | null
  /** At most `maxStdoutBytes` of it. */
  readonly stdout: string
  readonly stderrEnd: string
}

/** Runs processes for tools: confined by the first backend that works, else directly with `confined: false`. */
export interface Sandbox {
  /** `none` runs without confinement. */
  readonly kind: SandboxBackend | "none"
  readonly confined: boolean
  /** Why nothing confines here, for warnings and for refusals; undefined when confined. */
  readonly reason?: string
  run(command: SandboxCommand): Promise<SandboxResult>
  /** @throws AdjutantError `sandbox_unavailable` when it cannot be started */
  runProgram(program: SandboxProgram): Promise<ProgramResult>
  /** Stops what background processes of this owner remain: SIGTERM to their groups, SIGKILL after the grace time. */
  stopBackground(ownerId: string): Promise<void>
  /** Gives back what the backend holds for the whole process; absent where it holds nothing. Commands have ended by then. */
  close?(): Promise<void>
}
