import type { GlobalOptions } from "./global-options.ts"
import type { Interrupts } from "../terminal/interrupts.ts"
import type { ReadingHost, ReadingOptions, StoreHost } from "../host/store-host.ts"
import type { SessionHost } from "../host/session-host.ts"
import type { TaskHost } from "../host/task-host.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Paint } from "../terminal/paint.ts"
import type { ProcessIo } from "../terminal/process-io.ts"
import type { Person } from "../terminal/person.ts"
import type { Screen } from "../terminal/screen.ts"

/** What a command reads and writes. Results go to `stdout`, everything else to `stderr`. */
export interface CliIo extends Omit<ProcessIo, "isOnePlace"> {
  readonly screen: Screen
  /** The colours of each stream. */
  readonly paint: { readonly stdout: Paint; readonly stderr: Paint }
}

export interface HostOptions {
  /** Refuses what cannot work with this configuration, before anything is started. */
  readonly check?: (loaded: LoadedConfig) => Promise<void>
  /** A worker will be started: what it needs is loaded while the server starts. */
  readonly worker?: boolean
  /** Logs JSON for a log collector unless stderr is a terminal. */
  readonly daemon?: boolean
  /** Accepts a store that belongs to another Temporal than the connected one (`other`), or to one that is created now (`new`). */
  readonly acceptsEngine?: "other" | "new"
  /** Replaces the working directory of the process, `--config` and `--data-dir`. */
  readonly place?: { readonly cwd: string; readonly config: string; readonly dataDir: string }
  /** The task that the command continues or changes: it must be in the store before anything is started or created. */
  readonly target?: string
  /** A delivery, or a task, that must be in the store before anything is started or created. */
  readonly delivery?: string
  /** Gets the lines of progress that are shown on stderr while the server starts. */
  readonly onProgress?: (line: string) => void
  /** Ends the wait for a server that is starting, as a signal of the process does. */
  readonly signal?: AbortSignal
}

/** What a command gets in addition to its flags. Tests pass another host and other streams. */
export interface CliContext {
  readonly io: CliIo
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working directory of the process, absolute. */
  readonly cwd: string
  readonly options: GlobalOptions
  /** Asks the person at the terminal a question that is answered with yes or no. Absent if nobody can be asked. */
  readonly confirm?: (question: string) => Promise<boolean>
  /** The person at the terminal, who is asked at a pause. Absent unless every stream is a terminal. */
  readonly person?: Person
  readonly interrupts: Interrupts
  /** Opens server, store and client; starts a server if none is running. Loaded only when a command needs it. */
  openHost(options: HostOptions): Promise<SessionHost>
  /** Opens what the commands about tasks use: the server of `--server`, or else the service of this machine. */
  openTasks(options: HostOptions): Promise<TaskHost>
  /** Opens the store for a command that only reads it, and starts nothing. */
  openStore(options: ReadingOptions): Promise<StoreHost>
  /** Opens what the commands that only read tasks use: the server of `--server`, or else the same as `openStore`. */
  openReading(options: ReadingOptions): Promise<ReadingHost>
}
