import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createWalSync } from "../../../../store/sqlite/wal-sync.ts"
import { createTemporaryFolder } from "../store-fixture.ts"

/** A file whose syncs end when the test lets them. */
const slowFile = () => {
  const ends: (() => void)[] = []
  const file = {
    datasync: () => new Promise<void>((resolve) => ends.push(resolve)),
    close: async () => undefined,
  }
  return { ends, open: async () => file }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("commits that arrive during a sync share the next one, and none relies on the running one", async () => {
  const { ends, open } = slowFile()
  const wal = createWalSync("store.db", open)
  const done: string[] = []
  const first = wal.synced().then(() => done.push("first"))
  await settled()
  const later = ["second", "third", "fourth"].map((name) => wal.synced().then(() => done.push(name)))
  await settled()
  expect(ends.length).toBe(1)
  ends[0]?.()
  await first
  await settled()
  expect(done).toEqual(["first"])
  expect(ends.length).toBe(2)
  const fifth = wal.synced().then(() => done.push("fifth"))
  ends[1]?.()
  await Promise.all(later)
  await settled()
  expect(done).toEqual(["first", "second", "third", "fourth"])
  ends[2]?.()
  await fifth
  expect(ends.length).toBe(3)
})

test("a log that cannot be synced fails the write, and the next write tries again", async () => {
  const path = join(await createTemporaryFolder(), "store.db")
  const wal = createWalSync(path)
  await expect(wal.synced()).rejects.toMatchObject({ code: "storage_failed" })
  await writeFile(`${path}-wal`, "")
  await wal.synced()
  await wal.close()
})

test("a failed sync fails only the commits that waited for it", async () => {
  let syncs = 0
  const file = {
    datasync: async () => {
      syncs += 1
      if (syncs === 1) throw new Error("EIO: i/o error")
    },
    close: async () => undefined,
  }
  const wal = createWalSync("store.db", async () => file)
  const [first, second] = await Promise.allSettled([wal.synced(), wal.synced()])
  expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"])
})
