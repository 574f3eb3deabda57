import { randomUUID } from "node:crypto"
import { defaultRemoteTiming, type ServerConnection } from "../../client/remote/server-connection.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { commandHeader, treeHeader } from "../../contracts/service/tree-registration.ts"
import { findUsableService, registerTree } from "../../service/ask-service.ts"
import { endIfLast } from "../../service/end-if-last.ts"
import { wasStopped } from "../../service/hold-service.ts"
import type { CliContext } from "../program/cli-context.ts"
import { broughtBy } from "./hand-over-tree.ts"
import { startServiceFor } from "./start-service-for.ts"
import { traceHeader } from "../program/trace-header.ts"

/** Whether a command waits for the work of a tree, or leaves it to others and ends. */
export type Share = "follow" | "leave"

/** The service of a data directory, as one command uses it. */
export interface ServiceLink {
  /** The HTTP API on the socket. If the service is lost, it is started again, and the tree of this command is registered again. */
  readonly connection: ServerConnection
  /**
   * Registers a tree with the configuration and the variables of this command, which every later request uses. Null: a new task. Returns the id of the
   * root.
   */
  bring(rootId: string | null, share: Share): Promise<string>
  /** Problems with the destinations of `notify` that the service found at its start. */
  readonly problems: readonly string[]
  /** Ends the service if no other command is connected and no run is active, and waits for its end. */
  endIfLast(): Promise<void>
}

const stoppedOnPurpose = (dataDir: string, task: string | undefined): AdjutantError =>
  new AdjutantError(
    "service_stopped",
    `the service of ${dataDir} was stopped${task === undefined ? "" : `, and task ${task} rests`}: ` +
      `the next command that works starts it again, for example adjutant wait ${task ?? "<task id>"}`,
  )

/** Finds the service of a data directory, or starts it. `task`: what the command is about, if it exists. */
export const linkService = async (
  context: CliContext,
  loaded: LoadedConfig,
  task: string | undefined,
): Promise<ServiceLink> => {
  const { dataDir } = loaded
  const command = randomUUID()
  const { socket, status } = await startServiceFor(context, dataDir)
  let tree: string | undefined
  let isFollowed = false
  const register = (rootId: string | null, needsKeys: boolean): Promise<string> => {
    const brought = broughtBy(context, loaded, { isFollowed })
    return registerTree(socket, { ...brought, root_id: rootId, needs_keys: needsKeys }, command)
  }
  const restoreOnce = async (): Promise<void> => {
    if ((await findUsableService(dataDir)) === undefined) {
      if (wasStopped(dataDir)) throw stoppedOnPurpose(dataDir, tree ?? task)
      await startServiceFor(context, dataDir)
    }
    if (tree === undefined) return
    try {
      await register(tree, false)
    } catch (error) {
      // A service that is about to end, or to start, does not answer: the request that is repeated asks for it again.
      if (isAdjutantError(error)) throw error
    }
  }
  let restoring: Promise<void> | undefined
  return {
    connection: {
      url: "http://localhost",
      token: "",
      timing: defaultRemoteTiming,
      socket,
      headers: () => ({
        ...traceHeader(context.env),
        [commandHeader]: command,
        ...(tree === undefined ? {} : { [treeHeader]: tree }),
      }),
      restore: () => (restoring ??= restoreOnce().finally(() => (restoring = undefined))),
    },
    bring: async (rootId, share) => {
      isFollowed = share === "follow"
      return (tree = await register(rootId, rootId !== null))
    },
    problems: status.problems,
    endIfLast: () => endIfLast(dataDir, { socket, command }),
  }
}
