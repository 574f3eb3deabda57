import type { GlobalOptions } from "./global-options.ts"
import type { Interrupts } from "../host/interrupts.ts"
import type { SessionHost } from "../host/session-host.ts"

/** A stream that text goes to. `isTTY` decides whether colours and live lines are used. */
export interface TextSink {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** What a command reads and writes. Results go to `stdout`, everything else to `stderr`. */
export interface CliIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdin: AsyncIterable<Uint8Array | string>
}

export interface HostOptions {
  /** A worker will be started: what it needs is loaded while the server starts. */
  readonly worker?: boolean
  /** Logs JSON for a log collector unless stderr is a terminal. */
  readonly daemon?: boolean
  /** The store may belong to another Temporal than the one that answers (`other`), or to one that is made now (`new`). */
  readonly acceptsEngine?: "other" | "new"
  /** Replaces the working directory of the process, `--config` and `--data-dir`. */
  readonly place?: { readonly cwd: string; readonly config: string; readonly dataDir: string }
  /** Gets the lines that a person who waits for the server sees on stderr. */
  readonly onProgress?: (line: string) => void
  /** Ends the wait for a server that is being started, as a signal of the process does. */
  readonly signal?: AbortSignal
}

/** What a command gets besides its own flags. Tests hand in another host and other streams. */
export interface CliContext {
  readonly io: CliIo
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working directory of the process, absolute. */
  readonly cwd: string
  readonly options: GlobalOptions
  readonly interrupts: Interrupts
  /** Server, store and client, found or started. Loaded only when a command needs it. */
  openHost(options: HostOptions): Promise<SessionHost>
}
