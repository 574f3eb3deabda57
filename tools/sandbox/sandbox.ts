import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"

/** A process to run for a tool. */
export interface SandboxCommand {
  /** Passed to `bash -c`. */
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** File for the complete output. */
  readonly outputFile: string
  /** Bytes kept in memory for the result, from the start and the end. */
  readonly maxOutputBytes: number
  /** If true, the tool does not wait, and the process runs until the run ends. */
  readonly background?: boolean
  /** Groups background processes, so that the end of a run can stop them. */
  readonly ownerId: string
  /** Absolute directories inside `cwd` that a confined process must not see. */
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

/** A program to run without a shell, with separate standard output and standard error. */
export interface SandboxProgram {
  /** Absolute path, or a name that is looked up on the PATH of `env`. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Text for its standard input, which is then closed. */
  readonly stdin: string
  readonly timeoutMs: number
  /** Time between SIGTERM and SIGKILL. */
  readonly killGraceMs: number
  readonly signal: AbortSignal
  readonly ownerId: string
  /** A program that writes more bytes to its standard output is stopped. */
  readonly maxStdoutBytes: number
  /** How many bytes of the end of standard error are kept. */
  readonly maxStderrBytes: number
  readonly hiddenDirs?: readonly string[]
}

export interface ProgramResult {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it was stopped; null if it ended by itself. */
  readonly stoppedFor: "timeout" | "abort" | "output" | null
  /** At most `maxStdoutBytes` of standard output. */
  readonly stdout: string
  readonly stderrEnd: string
}

/** Runs processes for tools: confined by the first backend that works, otherwise directly, with `confined: false`. */
export interface Sandbox {
  /** `none` runs without confinement. */
  readonly kind: SandboxBackend | "none"
  readonly confined: boolean
  /** Why processes are not confined, for warnings and errors; undefined if they are. */
  readonly reason?: string
  run(command: SandboxCommand): Promise<SandboxResult>
  /** Runs a command. @throws AdjutantError `sandbox_unavailable` if it cannot be started */
  runProgram(program: SandboxProgram): Promise<ProgramResult>
  /** Stops the remaining background processes of this owner: SIGTERM to their groups, SIGKILL after the grace time. */
  stopBackground(ownerId: string): Promise<void>
  /** Releases the backend's resources; absent if it has none. All commands must have ended. */
  close?(): Promise<void>
}
