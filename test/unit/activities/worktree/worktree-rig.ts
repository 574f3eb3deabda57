import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished, vi } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { worktreePath } from "../../../../domain/workspace/worktree/worktree-place.ts"
import { defaultWorktreeLimits, type WorktreeLimits } from "../../../../tools/worktree/tree-of.ts"
import { createWorktreeFiles } from "../../../../tools/worktree/worktree-files.ts"
import { initRepository, put } from "../../../helpers/worktree-repository.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

/** Opens a repository, a store with the session `s1`, and what activities need to end worktrees. */
export const openWorktreeRig = async (limits: Partial<WorktreeLimits> = {}) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-worktree-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const source = join(root, "project")
  const dataDir = join(root, "data")
  for (const directory of [source, dataDir]) mkdirSync(directory)
  initRepository(source, { "a.txt": "one\n" })
  const store = await storeWithSession()
  const warn = vi.fn<() => void>()
  const worktrees = createWorktreeFiles({ ...defaultWorktreeLimits, ...limits })
  const deps = {
    store,
    worktrees,
    dataDir,
    machine: { name: "m" },
    redact: (text: string) => text,
    logger: { info: () => undefined, warn },
    sandboxFor: async () => ({ stopBackground: async () => undefined }),
  } as unknown as AgentDependencies
  const path = worktreePath(dataDir, "k1")
  return {
    root,
    source,
    dataDir,
    path,
    store,
    worktrees,
    warn,
    deps,
    /** Creates the worktree of the session, which then makes a file in it. */
    async work(machine = "m"): Promise<void> {
      await worktrees.open({ storeId: store.storeId, sessionId: "s1", source, path })
      await store.worktrees.open({ sessionId: "s1", machine, path, source })
      put(path, "made.txt", "made\n")
    },
  }
}

export type WorktreeRig = Awaited<ReturnType<typeof openWorktreeRig>>
