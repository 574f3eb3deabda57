import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"
import type { PlantedPath } from "../../domain/workspace/planted-paths.ts"
import type { SandboxView } from "./view/sandbox-view.ts"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"

/** What commands of a session planted in a working directory. */
export interface PlantedPaths {
  readonly sessionId: string
  readonly cwd: string
  readonly planted: readonly PlantedPath[]
}

/** How protected paths are treated. */
export interface CommandProtection {
  /** Absolute paths of files that the configuration names. */
  readonly namedFiles: readonly string[]
  /** Receives what the command planted, also if it ends in the background. */
  readonly onPlanted?: (found: PlantedPaths) => void
}

/** What a sandbox is told about the protection of one process. */
interface Protected {
  readonly protection?: CommandProtection
  /** What a confined process can read only; set by `guardSandbox`. */
  readonly fixed?: FixedPaths
  /**
   * The folder of a task that runs in a sandbox of its own: the only place where its processes can write. They see the working directory read-only, and
   * have no network, no sockets and no background.
   */
  readonly scratchDir?: string
  /** Sockets and pipes of the working directory, which such a process does not see; set by `withTaskScratch`. */
  readonly closedPaths?: readonly string[]
}

/** A process to run for a tool. */
export interface SandboxCommand extends Protected {
  /** Hosts that this command can reach besides those of its sandbox: a person has approved that. Where hosts cannot be limited, it is the whole network. */
  readonly network?: readonly string[]
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
  /** Receives the output as it is written. */
  readonly onOutput?: (chunk: Buffer) => void
  /** If true, the tool does not wait, and the process runs until the run ends. */
  readonly background?: boolean
  /** Groups background processes, so that the end of a run can stop them. */
  readonly ownerId: string
  /** Absolute directories inside `cwd` that a confined process must not see. */
  readonly hiddenDirs?: readonly string[]
  /** Called when a background process was started, and when it has ended with everything that it started. */
  readonly onStarted?: () => void
  readonly onEnded?: () => void
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
  /** Why a limit on resources ended it, for the model. */
  readonly exceeded?: string
  /** Process id of a background process. */
  readonly pid?: number
  /** Whether later commands of the same owner reach the ports of this background process. */
  readonly sharesPorts?: boolean
  /** Protected paths that the command created or changed. */
  readonly planted?: readonly PlantedPath[]
}

/** A program to run without a shell, with separate standard output and standard error. */
export interface SandboxProgram extends Protected {
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
  /** Why a limit on resources ended it. */
  readonly exceeded?: string
  /** At most `maxStdoutBytes` of standard output. */
  readonly stdout: string
  readonly stderrEnd: string
  /** Protected paths that the program created or changed. */
  readonly planted?: readonly PlantedPath[]
}

/** What a sandbox can run. */
export type SandboxRequest = SandboxCommand | SandboxProgram

/** Runs processes for tools: confined by the first backend that works, otherwise directly, with `confined: false`. */
export interface Sandbox {
  /** `none` runs without confinement. */
  readonly kind: SandboxBackend | "none"
  readonly confined: boolean
  /** Why processes are not confined, for warnings and errors; undefined if they are. */
  readonly reason?: string
  /** What confined processes can reach; absent: no network. `limitsHosts`: for single commands, it can be opened for hosts and not only as a whole. */
  readonly network?: { readonly hosts: readonly string[]; readonly limitsHosts: boolean }
  /** What confined processes see besides the system and their working directory; absent: nothing. */
  readonly view?: SandboxView
  /** Whether processes cannot set the setuid and setgid bits of files. Otherwise these bits are removed when the process has ended. */
  readonly refusesSetId?: boolean
  run(command: SandboxCommand): Promise<SandboxResult>
  /** Runs a command. @throws AdjutantError `sandbox_unavailable` if it cannot be started */
  runProgram(program: SandboxProgram): Promise<ProgramResult>
  /** Stops the remaining background processes of this owner: SIGTERM to their groups, SIGKILL after the grace time. */
  stopBackground(ownerId: string): Promise<void>
  /** Releases the backend's resources; absent if it has none. All commands must have ended. */
  close?(): Promise<void>
}
