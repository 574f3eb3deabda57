import type { AdjutantClient } from "../../client/create-client.ts"
import type { StoreReader } from "../../client/create-store-reader.ts"
import type { TaskClient } from "../../client/task-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { Machine } from "../../engine/workers/machine.ts"
import type { RunningServer } from "../../server/running-server.ts"
import type { TreeReading } from "../../service/tree-registry.ts"
import type { Started, StartRequest } from "../../sessions/start-request.ts"
import type { Store } from "../../store/store.ts"
import type { ResumedTree } from "../move/resume-moved.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ConfigPlace } from "../program/load-host-config.ts"
import type { Share } from "../service/service-link.ts"
import type { ServedHttp } from "../../service/run-service.ts"
import type { RunningWorker } from "../../worker/start-worker.ts"
import type { ListenRequest } from "../../service/host/serve-http.ts"
import type { WorkerRequest } from "../../service/host/start-host-worker.ts"

type StoreClient = StoreReader & Pick<TaskClient, "info">

/** What every command about tasks has. A command that only reads gets this much, from the store of this machine or from a server. */
export interface ReadingHost {
  readonly client: Pick<TaskClient, Exclude<keyof TaskClient & keyof StoreClient, "profiles">> &
    Pick<StoreClient, "profiles">
  /** Absent for a server. */
  readonly dataDir?: string
  /** Returns a line about the service of this machine; absent for a server. */
  serviceLine?(): Promise<string>
  /** Removes known secrets from a text. */
  readonly redact: Redact
  close(): Promise<void>
}

/** The store of this machine, opened to read. Temporal and a worker are not needed, and not started. */
export interface StoreHost extends ReadingHost {
  readonly loaded: LoadedConfig
  readonly store: Store
  readonly client: StoreClient
}

/** A new task. `cwd`: as `resolveDirectory` returns it. */
export interface NewTask extends Omit<
  StartRequest,
  "cwd" | "sessionId" | "subagent" | "actor" | "metadata" | "system_prompt"
> {
  readonly cwd: string | undefined
}

/** The service of this machine, or a server. It does the work; the command is its client. */
export interface TaskHost extends ReadingHost {
  readonly client: TaskClient
  /** Starts a task. @throws AdjutantError `no_worker` if it is left to a server where nobody works */
  startTask(task: NewTask, share: Share): Promise<Started>
  /**
   * Makes a tree ready to be resumed on this machine, and warns of files that have changed. Returns true if the tree came with a moved data
   * directory: it was stopped until now, and runs from here on.
   */
  prepareResume(tree: ResumedTree): Promise<boolean>
  /**
   * Gives the service the configuration and the variables of this command, which the work of an existing tree needs. Call it before the tree is resumed.
   * @throws AdjutantError `key_missing`; `no_worker` as for a new task
   */
  handOver(rootId: string, share: Share): Promise<void>
  /** Warns if a server has no worker: the work waits. The service of this machine always has one. */
  warnWithoutWorker(): Promise<void>
  /** Returns the path that a flag like `--cwd` means to the host. */
  resolveDirectory(flag: string): string
  /** Returns the flags with which a later command finds a task of this host again. `cwdFlag`: the `--cwd` of this command. */
  placeFlags(cwdFlag: string | undefined): readonly string[]
  /** Returns where the pause manifest of a task belongs. */
  manifestDirectory(taskCwd: string): string
  /** Logs a line on stderr that is always shown. */
  warn(message: string): void
}

/** Store and Temporal of this machine, opened by this process itself. `close` closes everything that it has opened, its worker included. */
export interface SessionHost extends StoreHost {
  readonly server: RunningServer
  readonly client: AdjutantClient
  /** Where this process runs. */
  readonly machine: Machine
  /** An id that no session of the store has. */
  newSessionId(): Promise<string>
  /** Returns a client that uses what the command of a tree has read, the same one for the same reading. */
  clientFor(reading: TreeReading): AdjutantClient
  startWorker(options?: WorkerRequest): Promise<RunningWorker>
  /** Starts the HTTP server at the address of the options or the configuration. */
  serveHttp(options?: ListenRequest): Promise<ServedHttp>
  /**
   * Leaves the work to the service: starts it if no worker of the store runs, and gives it what the tree needs. Null: there is work, but no tree.
   * @throws AdjutantError `service_unavailable`
   */
  handOver(rootId: string | null): Promise<void>
  /** Logs a line on stderr that is always shown. */
  warn(message: string): void
}

/** What a command can need. Each command names one. */
export interface Hosts {
  readonly reading: ReadingHost
  readonly store: StoreHost
  readonly tasks: TaskHost
  readonly engine: SessionHost
}

export type Need = keyof Hosts

export interface HostOptions {
  /** Of a host that reads: refuses a missing store, instead of reading an empty one. */
  readonly mustExist?: boolean
  /** Refuses what cannot work with this configuration, before anything is started. */
  readonly check?: (loaded: LoadedConfig) => Promise<void>
  /** A worker will be started: what it needs is loaded while the server starts. */
  readonly worker?: boolean
  /** Logs JSON for a log collector unless stderr is a terminal. */
  readonly daemon?: boolean
  /** Accepts a store that belongs to another Temporal than the connected one (`other`), or to one that is created now (`new`). */
  readonly acceptsEngine?: "other" | "new"
  /** Replaces the working directory of the process, `--config` and `--data-dir`. */
  readonly place?: ConfigPlace
  /** The task that the command continues or changes: it must be in the store before anything is started or created. */
  readonly target?: string
  /** Looks into the store before anything is started or created, and rejects if something is missing. Default: it looks for `target`. */
  readonly requires?: (host: StoreHost) => Promise<unknown>
  /** Gets the lines of progress that are shown on stderr while the server starts. */
  readonly onProgress?: (line: string) => void
}

/** What a process opens for its commands. Loaded only when a command needs it. */
export interface Openers {
  /** Opens store, Temporal and client of this machine; starts a server if none is running. */
  openHost(context: CliContext, options: HostOptions): Promise<SessionHost>
  /** Opens the service of this machine. */
  openTasks(context: CliContext, options: HostOptions): Promise<TaskHost>
  /** Opens the store of this machine, and starts nothing. */
  openStore(context: CliContext, options: HostOptions): Promise<StoreHost>
}

/** The context of a command that can open a host. Tests pass other hosts and other streams. */
export interface CommandContext extends CliContext {
  readonly open: { readonly [Name in Need]: (options: HostOptions) => Promise<Hosts[Name]> }
}
