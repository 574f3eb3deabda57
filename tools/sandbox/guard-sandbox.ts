import { existsSync } from "node:fs"
import type { PlantedPath } from "../../domain/workspace/planted-paths.ts"
import type { Watch, WorkspaceGuard } from "../protection/workspace-guard.ts"
import type { PlantedPaths, Sandbox, SandboxCommand, SandboxRequest } from "./sandbox.ts"

/** Keeps what commands planted until the next result of the same session, which reports it. */
const createUntold = () => {
  const bySession = new Map<string, readonly PlantedPath[]>()
  return {
    add(sessionId: string, planted: readonly PlantedPath[]): void {
      if (planted.length > 0) bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), ...planted])
    },
    take(sessionId: string): readonly PlantedPath[] {
      const planted = bySession.get(sessionId) ?? []
      bySession.delete(sessionId)
      return planted
    },
  }
}

const createWatching = (guard: WorkspaceGuard, canSetIds: boolean, onLatePlanted: (found: PlantedPaths) => void) => {
  const untold = createUntold()
  return {
    untold,
    async begin(command: SandboxRequest): Promise<Watch> {
      for (const found of await guard.checkAbandoned()) {
        onLatePlanted(found)
        untold.add(found.sessionId, found.planted)
      }
      const { cwd, ownerId: sessionId, hiddenDirs = [], protection } = command
      // A directory that does not exist is not hidden: the command can create it.
      const hidden = hiddenDirs.filter((path) => existsSync(path))
      return guard.begin({ cwd, sessionId, hidden, namedFiles: protection?.namedFiles ?? [], canSetIds })
    },
    async end(watch: Watch, command: SandboxRequest): Promise<readonly PlantedPath[]> {
      const planted = await watch.end()
      const found = { sessionId: command.ownerId, cwd: command.cwd, planted }
      if (planted.length > 0) (command.protection?.onPlanted ?? onLatePlanted)(found)
      return planted
    },
  }
}

type Watching = ReturnType<typeof createWatching>

/** Returns a function that runs a command under its watch and waits for its end. */
const createForeground =
  ({ begin, end, untold }: Watching) =>
  async <Result>(command: SandboxRequest, start: (watch: Watch) => Promise<Result>) => {
    const watch = await begin(command)
    try {
      const result = await start(watch)
      const planted = await end(watch, command)
      return { ...result, planted: [...untold.take(command.ownerId), ...planted] }
    } catch (error) {
      await end(watch, command)
      throw error
    }
  }

/** Ends the watch over a background command when the command has ended. */
const createBackground = ({ begin, end, untold }: Watching, run: Sandbox["run"]) => {
  const ending = new Map<string, Set<Promise<void>>>()
  const endLater = (watch: Watch, command: SandboxCommand): void => {
    const owned = ending.get(command.ownerId) ?? new Set()
    const ended = end(watch, command).then((planted) => {
      untold.add(command.ownerId, planted)
      owned.delete(ended)
      if (owned.size === 0) ending.delete(command.ownerId)
    })
    ending.set(command.ownerId, owned.add(ended))
  }
  return {
    async run(command: SandboxCommand) {
      const watch = await begin(command)
      let hasStarted = false
      const onStarted = (): void => void (hasStarted = true)
      const onEnded = (): void => endLater(watch, command)
      try {
        return await run({ ...command, fixed: watch.fixed, onStarted, onEnded })
      } finally {
        if (!hasStarted) onEnded()
      }
    },
    async allEnded(ownerId: string): Promise<void> {
      await Promise.all(ending.get(ownerId) ?? new Set<Promise<void>>())
    },
  }
}

/**
 * Protects working directories from the commands of a sandbox: see WorkspaceGuard. A sandbox that does not confine commands remains unchanged.
 *
 * @param onLatePlanted receives what the commands of dead workers planted, and what no `onPlanted` of a command receives
 */
export const guardSandbox = (
  sandbox: Sandbox,
  guard: WorkspaceGuard,
  onLatePlanted: (found: PlantedPaths) => void,
): Sandbox => {
  if (!sandbox.confined) return sandbox
  const watching = createWatching(guard, sandbox.refusesSetId !== true, onLatePlanted)
  const inForeground = createForeground(watching)
  const background = createBackground(watching, sandbox.run)
  return {
    ...sandbox,
    run: (command) =>
      command.background === true
        ? background.run(command)
        : inForeground(command, ({ fixed }) => sandbox.run({ ...command, fixed })),
    runProgram: (program) => inForeground(program, ({ fixed }) => sandbox.runProgram({ ...program, fixed })),
    async stopBackground(ownerId) {
      await sandbox.stopBackground(ownerId)
      await background.allEnded(ownerId)
      watching.untold.take(ownerId)
    },
  }
}
