import { MockActivityEnvironment } from "@temporalio/testing"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { createFindElsewhere, createFindWorktree, onItsMachine } from "../../../../activities/run/placement.ts"
import { createCloseWorktree } from "../../../../activities/worktree/close-worktree.ts"
import { createOpenWorktree } from "../../../../activities/worktree/open-worktree.ts"
import { removeAbandonedWorktrees } from "../../../../activities/worktree/remove-abandoned.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { openWorktreeRig, type WorktreeRig } from "../worktree/worktree-rig.ts"

const scope = { sessionId: "s1", runId: "r1", snapshotHash: "h" }
const onM = { elsewhere: { machines: ["m"], isKnown: true } }

/** Returns what a worker of a machine works with; all machines share the working directory. */
const workerOf = ({ deps }: WorktreeRig, name: string): AgentDependencies => ({
  ...deps,
  machine: { name, identify: async () => "shared" },
})

const snapshotOf =
  ({ path, source }: WorktreeRig) =>
  async (): Promise<RunSnapshot> =>
    ({ cwd: source, worktree: { path, source, isOwn: true } }) as unknown as RunSnapshot

const openRig = async () => {
  const rig = await openWorktreeRig()
  for (const name of ["m", "other"]) await rig.store.machines.note(name)
  await rig.store.machines.move("s1", null, { machine: "m", directory: "shared" })
  return rig
}

test("a worktree is created on the session's own machine, to which its calls are bound from then on", async () => {
  const rig = await openRig()
  const [own, other] = [workerOf(rig, "m"), workerOf(rig, "other")]
  expect(await createFindElsewhere(other)("s1")).toBeUndefined()
  expect(await createFindWorktree(other)("s1")).toEqual(onM)
  expect(await createFindWorktree(own)("s1")).toBeUndefined()
  const open = createOpenWorktree(own, snapshotOf(rig))
  expect(await new MockActivityEnvironment().run(open, scope)).toEqual({ refusal: null })
  expect(await createFindElsewhere(other)("s1")).toEqual(onM)
})

test("another machine that shares the project ends no worktree, and leaves it to its own machine", async () => {
  const rig = await openRig()
  await rig.work("m")
  await rig.store.sessions.patch("s1", { status: "completed" })
  const other = workerOf(rig, "other")
  const close = onItsMachine(createFindWorktree(other), createCloseWorktree(other, snapshotOf(rig)))
  expect(await new MockActivityEnvironment().run(close, scope)).toEqual(onM)
  expect(await removeAbandonedWorktrees(other)).toBe(0)
  expect(await rig.store.worktrees.get("s1")).toMatchObject({ status: "open" })
  expect(existsSync(join(rig.path, "made.txt"))).toBe(true)
  expect(await removeAbandonedWorktrees(workerOf(rig, "m"))).toBe(1)
  expect(await rig.store.worktrees.get("s1")).toMatchObject({ status: "changed" })
})
