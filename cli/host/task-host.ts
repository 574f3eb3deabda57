import type { TaskClient } from "../../client/task-client.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { Started, StartRequest } from "../../sessions/start-request.ts"

/** A new task. `cwd`: as `resolveDirectory` returns it. */
export interface NewTask extends Omit<
  StartRequest,
  "cwd" | "sessionId" | "subagent" | "actor" | "metadata" | "system_prompt"
> {
  readonly cwd: string | undefined
}

/** Whether a command waits for the work of a tree, or leaves it to others and ends. */
export type Share = "follow" | "leave"

/** What the commands about tasks work on: the service of this machine, or a server and its workers. */
export interface TaskHost {
  readonly client: TaskClient
  /** Absent for a server. */
  readonly dataDir?: string
  /** Starts a task. @throws AdjutantError `no_worker` if it is left to a server where nobody works */
  startTask(task: NewTask, share: Share): Promise<Started>
  /**
   * Prepares that a person resumes a tree here, and warns of what is not as it was. `directory`: where its files are now. Returns whether the tree came with a
   * moved data directory, and was released. Only on this machine.
   */
  prepareResume(tree: { readonly rootId: string; readonly directory?: string | undefined }): Promise<boolean>
  /**
   * Brings what the work of an existing tree needs, before it is resumed: the configuration and the variables of this command, for the service.
   * @throws AdjutantError `key_missing`; `no_worker` as for a new task
   */
  handOver(rootId: string, share: Share): Promise<void>
  /** Warns if the work waits because no worker runs. The service of this machine always has one. */
  warnWithoutWorker(): Promise<void>
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
