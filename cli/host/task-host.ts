import type { TaskClient } from "../../client/task-client.ts"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { Started, StartRequest } from "../../sessions/start/start-request.ts"

/** A new task. `cwd`: as `resolveDirectory` returns it. */
export interface NewTask extends Omit<
  StartRequest,
  "cwd" | "hostQueue" | "sessionId" | "subagent" | "actor" | "metadata" | "system_prompt"
> {
  readonly cwd: string | undefined
}

/** How this process shares in the work of a tree: with its own worker, or not at all. */
export interface TreeShare {
  /** The queue to which the activities of the tree are offered first. */
  readonly hostQueue?: string | undefined
  /** Rejects when the worker of this process fails. */
  readonly failed?: Promise<never>
}

export interface ShareOptions {
  /** Whether a worker of this process stops at once on a signal. */
  readonly stopsImmediately: boolean
}

/** What the commands about tasks work on: Temporal and the store, with a worker of this process, or a server and its workers. */
export interface TaskHost {
  readonly client: TaskClient
  /** Starts a task whose tree this process shares in, or with `leave` leaves to other workers. */
  startTask(task: NewTask, share: ShareOptions | "leave"): Promise<Started & Pick<TreeShare, "failed">>
  /**
   * Prepares that a person resumes a tree here, and warns of what is not as it was. `directory`: where its files are now. Returns whether the tree came with a
   * moved data directory, and was released. Only on this machine.
   */
  prepareResume(tree: { readonly rootId: string; readonly directory?: string | undefined }): Promise<boolean>
  /** Makes this process share in the work of an existing tree. */
  joinTree(rootId: string, options?: ShareOptions): Promise<TreeShare>
  /** Makes this process execute the work of every session if no worker does. */
  serveAll(): Promise<void>
  /** Hands the work of a tree to other workers before this process ends. */
  leaveTree(rootId: string): Promise<void>
  /** Leaves a tree to others from the beginning: to the service, which is started if nobody works, or to the workers of a server. @throws AdjutantError where nobody works */
  handOver(rootId: string): Promise<void>
  /** Waits until this process has tried the deliveries of an outcome, if it is the one that sends them. */
  announced(sessionId: string, document: OutcomeDocument): Promise<void>
  /** Returns the path that a flag like `--cwd` means to the host. */
  resolveDirectory(flag: string): string
  /** Returns the flags with which a later command finds a task of this host again. `cwdFlag`: the `--cwd` of this command. */
  placeFlags(cwdFlag: string | undefined): readonly string[]
  /** Returns where the pause manifest of a task belongs. */
  manifestDirectory(taskCwd: string): string
  /** Removes known secrets from a text. */
  readonly redact: Redact
  /** Logs a line on stderr that is always shown. */
  warn(message: string): void
  close(): Promise<void>
}
