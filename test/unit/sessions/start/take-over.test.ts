import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { hasWorkerOnMachine } from "../../../../engine/workers/has-worker.ts"
import type { Machine } from "../../../../engine/workers/machine.ts"
import { requireDirectory } from "../../../../sessions/rows/session-place.ts"
import { takeOverTree } from "../../../../sessions/start/take-over.ts"
import type { SessionsContext } from "../../../../sessions/sessions-context.ts"
import { newSession, openTestStore } from "../../store/store-fixture.ts"

const actor = { by: "ana", via: "cli" }
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A session that began on the machine `first` in a directory that `machine` identifies as it says. */
const setup = async (machine: Partial<Machine>, { isPolled = false } = {}) => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-take-over-")))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const store = await openTestStore()
  await store.sessions.create(newSession("s1", { cwd, rootId: "s1" }))
  await store.machines.move("s1", null, { machine: "first", directory: "inode-1" })
  const seconds = Math.floor(Date.now() / 1_000)
  const pollers = isPolled ? [{ identity: "1@elsewhere/x", lastAccessTime: { seconds, nanos: 0 } }] : []
  const context = {
    store,
    taskQueue: "q",
    machine: { name: "second", identify: async () => "inode-2", ...machine },
    temporal: {
      options: { namespace: "default" },
      withDeadline: (_: number, call: () => unknown) => call(),
      workflowService: { describeTaskQueue: async () => ({ pollers }) },
    },
    engine: { verifyFromTimeToTime: async () => undefined },
    timing: { workerSeenMs: 60_000, engineTimeoutMs: 1_000 },
  } as unknown as SessionsContext
  return {
    cwd,
    store,
    context,
    take: (isNamed = false) =>
      takeOverTree(
        { ...context, hasWorkerOn: (name) => hasWorkerOnMachine(context, name) },
        { rootId: "s1", actor, isNamed },
      ),
  }
}

test("a session is taken over from a machine that serves it no more, which is audited", async () => {
  const { store, cwd, take } = await setup({})
  expect(await take()).toEqual(["task s1 is taken over from the machine first"])
  expect(await store.machines.placeOf("s1")).toEqual({ cwd, machine: "second", directory: "inode-2" })
  expect(await store.audit.list({ sessionId: "s1" })).toMatchObject([
    { action: "take-over", by: "ana", detail: { from: "first", to: "second", cwd } },
  ])
  expect(await take()).toEqual([])
})

test("a session is not taken from a machine whose worker runs, or that shares the directory", async () => {
  const polled = await setup({}, { isPolled: true })
  await expect(polled.take()).rejects.toThrow("task s1 belongs to the machine first, whose worker runs")
  const shared = await setup({ identify: async () => "inode-1" }, { isPolled: true })
  expect(await shared.take()).toEqual([])
  const without = await setup({ identify: async () => undefined }, { isPolled: true })
  expect(await without.take()).toEqual([])
  for (const { store } of [polled, shared, without])
    expect(await store.machines.placeOf("s1")).toMatchObject({ machine: "first" })
})

test("a decision is refused that no machine could carry out: the directory is not here, and its machine has no worker", async () => {
  const { store, cwd, take } = await setup({ identify: async () => undefined })
  await expect(take()).rejects.toThrow(`task s1 works in ${cwd} on the machine first, which has no worker`)
  expect(await store.machines.placeOf("s1")).toMatchObject({ machine: "first" })
})

test("files that the session wrote decide: a difference is refused elsewhere, unless the directory is named", async () => {
  const { store, cwd, take } = await setup({})
  await store.touchedFiles.put("s1", { path: "plan.txt", written: sha256("plan") })
  await store.touchedFiles.put("s1", { path: "same.txt", written: sha256("same") })
  await writeFile(join(cwd, "same.txt"), "same")
  const missing = `${join(cwd, "plan.txt")}, which task s1 wrote, is missing`
  await expect(take()).rejects.toThrow(`${missing}: bring the files of the task here first`)
  expect(await take(true)).toEqual(["task s1 is taken over from the machine first", missing])
  await writeFile(join(cwd, "plan.txt"), "another")
  expect(await take()).toEqual([`${join(cwd, "plan.txt")}, which task s1 wrote, is not as the task left it`])
})

test("with an embedded engine every directory is at home, and another copy of it is named", async () => {
  const embedded = { name: "data-directory", isOnly: true } as const
  const { store, cwd, take, context } = await setup(embedded, { isPolled: true })
  await expect(requireDirectory(context, { id: "s1" })).resolves.toBeUndefined()
  await store.machines.move("s1", "first", { machine: "data-directory", directory: "inode-1" })
  expect(await take()).toEqual([`task s1 is taken over: ${cwd} is another copy of the directory in which it began`])
  const gone = await setup({ ...embedded, identify: async () => undefined })
  await expect(requireDirectory(gone.context, { id: "s1" })).rejects.toThrow(
    `task s1 works in ${gone.cwd}, which does not`,
  )
})
