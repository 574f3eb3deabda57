import { DatabaseSync } from "node:sqlite"
import path from "node:path"
import { expect, test } from "vitest"
import { movedMachine } from "../../../../domain/engine/placement.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { NewDelivery } from "../../../../store/store.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { createTemporaryFolder, newSession } from "../store-fixture.ts"

const hook = { command: "/srv/old/hook.sh", args: [], timeoutMs: 1_000 }
const snapshot = { ...baseSnapshot, cwd: "/srv/old/a", hooks: { "agent:llm-before-execute": [hook] } }
const grant = { ...{ id: "g1", sessionId: "s1", tool: "Write", arguments: {} }, createdBy: "mia", createdVia: "cli" }
const delivery: NewDelivery = {
  ...{
    key: "d1",
    sessionId: "s1",
    runId: "r1",
    kind: "webhook" as const,
    event: "run-finished",
    url: "https://example.test",
  },
  ...{ secretEnv: "S", body: "{}", policy: { attempts: 3, initialMs: 1, maxMs: 10, timeoutMs: 100 } },
}

test("a store that is taken over has the paths of its new place, and nobody else can use it", async () => {
  const dataDir = await createTemporaryFolder()
  await using stack = new AsyncDisposableStack()
  const store = await openStore({ url: "sqlite:", dataDir })
  stack.defer(() => store.close())
  await store.sessions.create(newSession("s1", { cwd: "/srv/old/a" }))
  await store.sessions.create(newSession("s2", { cwd: "/srv/older" }))
  const hash = await store.snapshots.put(snapshot)
  await store.toolLists.put([{ name: "T", description: "d", inputSchema: {} }])
  await store.machines.note("elsewhere")
  await store.machines.move("s1", null, { machine: "elsewhere", directory: "1-2" })
  await store.grants.create({ ...grant, expiresAt: "2999-01-01T00:00:00.000Z" }, 5)
  await store.deliveries.create(delivery)
  const secret = await store.secret("links")
  await store.publicAddress.write("https://elsewhere.test")

  const contents = await store.moves.contents()
  expect(contents).toMatchObject({ statuses: { pending: 2 }, openWorktrees: [], grants: 1 })
  expect(contents.snapshots).toEqual([snapshot])

  await store.moves.takeOver([{ from: "/srv/old", to: "/srv/new" }])
  const place = (id: string) => store.machines.placeOf(id)
  expect(await place("s1")).toEqual({ cwd: "/srv/new/a", machine: movedMachine, directory: null })
  expect(await place("s2")).toEqual({ cwd: "/srv/older", machine: movedMachine, directory: null })
  expect(await store.snapshots.get(hash)).toEqual({
    ...snapshot,
    cwd: "/srv/new/a",
    hooks: { "agent:llm-before-execute": [{ ...hook, command: "/srv/new/hook.sh" }] },
  })
  expect(await store.machines.list()).toEqual([])
  expect(await store.grants.list("s1")).toMatchObject([{ revokedBy: "move of the data directory" }])
  expect(await store.deliveries.get("d1")).toMatchObject({ status: "dismissed" })
  expect(await store.publicAddress.read()).toBeUndefined()
  const reopened = await openStore({ url: "sqlite:", dataDir })
  stack.defer(() => reopened.close())
  expect(await reopened.secret("links")).not.toBe(secret)
})

test("a store that contains statements of its own is refused", async () => {
  const dataDir = await createTemporaryFolder()
  await (await openStore({ url: "sqlite:", dataDir })).close()
  const file = new DatabaseSync(path.join(dataDir, "store.db"))
  file.exec("create trigger planted after update on sessions begin update sessions set machine = null; end")
  file.close()
  await using stack = new AsyncDisposableStack()
  const store = await openStore({ url: "sqlite:", dataDir })
  stack.defer(() => store.close())
  for (const refused of [store.moves.contents(), store.moves.takeOver([])])
    await expect(refused).rejects.toMatchObject({
      code: "data_dir_unusable",
      message: "the session store contains planted, which Adjutant did not write",
    })
})
