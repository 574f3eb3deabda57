import { randomUUID } from "node:crypto"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Environment } from "../domain/environment.ts"
import { attachTo, findUsableService, type FoundService } from "./ask-service.ts"
import { endIfLast } from "./end-if-last.ts"
import { wasStopped } from "./hold-service.ts"
import { endsWithLastCommand } from "./idle.ts"
import { ensureService, type EnsureService, isHeld } from "./start-service.ts"

interface LinkProgram extends Pick<EnsureService, "start" | "onProgress"> {
  readonly loaded: Pick<LoadedConfig, "dataDir" | "config">
  readonly env: Environment
  /** Returns whether the engine knows a live worker. Those of a service that ends count, too. */
  hasWorker(): Promise<boolean>
}

/** The service of a data directory, as a program uses it through the library. */
export interface ProgramLink {
  /** Returns when somebody works: the service, which then stays and is started again until `close`, or a worker without a service. */
  requireWorker(): Promise<void>
  /** Leaves the service. Ends it where nothing is to stay behind, if no other command is connected and no run is active. */
  close(): Promise<void>
}

export const linkProgram = ({ loaded, env, hasWorker, ...starting }: LinkProgram): ProgramLink => {
  const { dataDir, config } = loaded
  const command = randomUUID()
  const closing = new AbortController()
  let attached: { readonly socket: string; detach(): void } | undefined
  let finding: Promise<void> | undefined
  const attach = ({ socket }: FoundService): void => {
    if (!closing.signal.aborted) attached = { socket, detach: attachTo(socket, { command, onEnd: startAgain }) }
  }
  const startIt = async (): Promise<void> =>
    attach(await ensureService({ dataDir, ...starting, nodeOptions: [], signal: closing.signal, command }))
  const find = async (): Promise<void> => {
    const found = await findUsableService(dataDir, command)
    if (found !== undefined) attach(found)
    // A service that has the lock and does not answer starts or ends. While it ends, its worker still counts as alive.
    else if (isHeld(dataDir) || !(await hasWorker())) await startIt()
  }
  const once = (act: () => Promise<void>): Promise<void> =>
    (finding ??= act().finally(() => {
      finding = undefined
    }))
  /** The service has ended although this program is connected: it may have decided that before, and what this program started would rest. */
  const startAgain = (): void => {
    attached = undefined
    // If the start fails, the next request tries it again, and reports why.
    if (!wasStopped(dataDir)) once(startIt).catch(() => undefined)
  }
  return {
    requireWorker: async () => {
      if (attached === undefined) await once(find)
    },
    close: async () => {
      closing.abort()
      await finding?.catch(() => undefined)
      attached?.detach()
      if (attached !== undefined && endsWithLastCommand(config, env))
        await endIfLast(dataDir, { socket: attached.socket, command })
    },
  }
}
