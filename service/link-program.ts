import { randomUUID } from "node:crypto"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Environment } from "../domain/environment.ts"
import { attachTo, findUsableService, type FoundService } from "./ask-service.ts"
import { endIfLast } from "./end-if-last.ts"
import { isHeldHere, wasStopped } from "./hold-service.ts"
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

/** Names this program to services: to them, all its clients together are one command. */
const command = randomUUID()

/** What the open clients of this program have in common, by data directory. */
const shared = new Map<string, { clients: number; socket: string | undefined }>()

/** Counts a client of a data directory. Returns a function that counts its end, and tells whether it was the last one. */
const joinProgram = (dataDir: string) => {
  const own = shared.get(dataDir) ?? { clients: 0, socket: undefined }
  own.clients += 1
  shared.set(dataDir, own)
  return {
    use: (socket: string): void => void (own.socket = socket),
    /** Returns the socket that the clients of this program have used, if this was the last of them. */
    leave: (): string | undefined => {
      own.clients -= 1
      if (own.clients > 0) return undefined
      shared.delete(dataDir)
      return own.socket
    },
  }
}

export const linkProgram = ({ loaded, env, hasWorker, ...starting }: LinkProgram): ProgramLink => {
  const { dataDir, config } = loaded
  const program = joinProgram(dataDir)
  const closing = new AbortController()
  let detach: (() => void) | undefined
  let finding: Promise<void> | undefined
  const attach = ({ socket }: FoundService): void => {
    // The worker of this program does the work itself, and its end is wanted.
    if (closing.signal.aborted || isHeldHere(dataDir)) return
    program.use(socket)
    detach = attachTo(socket, { command, onEnd: startAgain })
  }
  const startIt = async (): Promise<void> =>
    attach(await ensureService({ dataDir, ...starting, nodeOptions: [], signal: closing.signal, command }))
  const find = async (): Promise<void> => {
    if (isHeldHere(dataDir)) return
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
    detach = undefined
    // If the start fails, the next request tries it again, and reports why.
    if (!wasStopped(dataDir)) once(startIt).catch(() => undefined)
  }
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.abort()
    await finding?.catch(() => undefined)
    detach?.()
    const socket = program.leave()
    if (socket !== undefined && endsWithLastCommand(config, env)) await endIfLast(dataDir, { socket, command })
  }
  return {
    requireWorker: async () => {
      if (detach === undefined) await once(find)
    },
    close: () => (closed ??= close()),
  }
}
