import { existsSync, mkdirSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { identifyThisProcess } from "../../../../server/process/process-identity.ts"
import { createWorkspaceGuard, type GuardOptions } from "../../../../tools/protection/workspace-guard.ts"
import { guardSandbox } from "../../../../tools/sandbox/guard-sandbox.ts"
import type { PlantedPaths, Sandbox, SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import { hasDied, machineOf } from "../../../../worker/worker-process.ts"
import { createWorkspace } from "../workspace.ts"
import { createCommand } from "./command.ts"

/** Creates a guarded sandbox with a working directory and a data directory. */
export const createGuarded = (sandbox: Sandbox, options: Pick<GuardOptions, "maxDirectories"> = {}) => {
  const workspace = createWorkspace()
  const dataDir = join(workspace.root, "data")
  mkdirSync(dataDir)
  const guard = createWorkspaceGuard({
    dataDir: async () => dataDir,
    worker: { ...identifyThisProcess(), machine: machineOf() },
    hasDied,
    ...options,
  })
  const late: PlantedPaths[] = []
  const guarded = guardSandbox(sandbox, guard, (found) => void late.push(found))
  const { cwd } = workspace
  return {
    ...workspace,
    dataDir,
    guard,
    guarded,
    late,
    run: (command: string, overrides: Partial<SandboxCommand> = {}) =>
      guarded.run({ ...createCommand(command), cwd, ...overrides }),
    has: (name: string) => existsSync(join(cwd, name)),
    read: (name: string) => readFile(join(cwd, name), "utf8"),
    /** Names of the folders of what was moved away. */
    quarantined: async (sessionId: string): Promise<readonly string[]> =>
      readdir(join(dataDir, "quarantine", sessionId)).catch(() => []),
  }
}
