import { chmodSync, existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { endWorktree } from "../../../../activities/worktree/close-worktree.ts"
import { removeAbandonedWorktrees } from "../../../../activities/worktree/remove-abandoned.ts"
import { put, textOf, worktreesLeft } from "../../../helpers/worktree-repository.ts"
import { openWorktreeRig, type WorktreeRig } from "./worktree-rig.ts"

const end = ({ deps, path }: WorktreeRig) => endWorktree(deps, { sessionId: "s1", runId: "r1", path })

/** Puts another program in the place of git; undefined: none. */
const replaceGit = ({ root }: WorktreeRig, script: string | undefined): void => {
  const programs = join(root, "programs")
  put(root, "programs/readme", "")
  if (script !== undefined) {
    put(programs, "git", `#!/bin/sh\n${script}\n`)
    chmodSync(join(programs, "git"), 0o755)
  }
  vi.stubEnv("PATH", programs)
}

describe("the work in a worktree is kept for another attempt", () => {
  test.each([
    ["git is not installed", undefined],
    ["the disk is full", "echo 'fatal: write error: No space left on device' >&2; exit 128"],
    ["the system stops git", "kill -KILL $$"],
  ])("if %s at the end of the run", async (_, script) => {
    const rig = await openWorktreeRig()
    await rig.work()
    await rig.store.sessions.patch("s1", { status: "completed" })
    replaceGit(rig, script)
    try {
      await expect(end(rig)).rejects.toThrow(/git|No space/)
      expect(await removeAbandonedWorktrees(rig.deps)).toBe(0)
    } finally {
      vi.unstubAllEnvs()
    }
    expect(rig.warn).toHaveBeenCalledOnce()
    expect(await rig.store.worktrees.get("s1")).toMatchObject({ status: "open" })
    expect(textOf(rig.path, "made.txt")).toBe("made\n")
    expect(await removeAbandonedWorktrees(rig.deps)).toBe(1)
    expect(await rig.store.worktrees.get("s1")).toMatchObject({
      status: "changed",
      details: { files: [{ path: "made.txt" }] },
    })
    expect(worktreesLeft(rig.source, rig.dataDir)).toEqual([])
  })

  test("if its description cannot be read", async () => {
    const rig = await openWorktreeRig()
    await rig.work()
    put(join(rig.path, ".."), "place.json", "")
    await expect(end(rig)).rejects.toThrow(/does not say with which files it began/)
    expect(existsSync(join(rig.path, "made.txt"))).toBe(true)
  })
})

test("changes beyond a limit are given up at once, and their worktree is removed", async () => {
  const rig = await openWorktreeRig({ maxChangedBytes: 1 })
  await rig.work()
  await end(rig)
  expect(await rig.store.worktrees.get("s1")).toMatchObject({
    status: "failed",
    details: { problem: expect.stringContaining("too much has changed") },
  })
  expect(worktreesLeft(rig.source, rig.dataDir)).toEqual([])
})
