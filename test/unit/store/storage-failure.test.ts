import { open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { sql } from "kysely"
import { createStore } from "../../../store/store.ts"
import type { Database } from "../../../store/database/database.ts"
import { openSqliteDatabase } from "../../../store/sqlite/open-sqlite-database.ts"
import { openStore } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"
import { event, messageRow, newSession, createTemporaryFolder, userMessage } from "./store-fixture.ts"

interface Failing {
  readonly store: Store
  readonly database: Database
  readonly path: string
}

/** A store with one session and one message, whose connection the test can break. */
const openFailing = async (lockTimeoutMs = 1000): Promise<Failing> => {
  const dataDir = await createTemporaryFolder()
  const path = join(dataDir, "store.db")
  const first = await openStore({ url: "sqlite:", dataDir })
  await first.sessions.create(newSession("s1"))
  await first.messages.put("s1", messageRow(1, "before"))
  await first.close()
  const database = await openSqliteDatabase({ path, lockTimeoutMs, now: Date.now })
  return { store: createStore({ database, storeId: "x", pollIntervalMs: 25 }), database, path }
}

const pragma = (database: Database, text: string) => database.write((db) => sql.raw(`pragma ${text}`).execute(db))

test("a full disk is a clear error, loses nothing, and the store works again when there is space", async () => {
  const { store, database } = await openFailing()
  await pragma(database, "max_page_count = 1")
  const large = "x".repeat(1_000_000)
  await expect(store.messages.putAll("s1", [messageRow(2, "small"), messageRow(3, large)])).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringMatching(/full: free some space/),
  })
  expect((await store.messages.read("s1", { headSeq: 9 })).map((row) => row.message)).toEqual([userMessage("before")])
  await pragma(database, "max_page_count = 1000000")
  expect(await store.messages.put("s1", messageRow(2, large))).toBe(true)
  await store.close()
})

test("a store that cannot be written reports it, keeps its event ids, and can be read", async () => {
  const { store, database, path } = await openFailing()
  await pragma(database, "query_only = on")
  const appended = store.events.append("s1", [event()])
  await expect(appended).rejects.toMatchObject({ code: "storage_failed", message: expect.stringContaining(path) })
  expect(await store.messages.get("s1", 1)).toMatchObject({ message: userMessage("before") })
  await store.close()
  const again = await openStore({ url: "sqlite:", dataDir: dirname(path) })
  expect(await again.events.append("s1", [event()])).toBe(1)
  await again.close()
})

test("a lock that another process keeps is an error after the timeout, and reads continue meanwhile", async () => {
  const { store, path } = await openFailing(50)
  const other = new DatabaseSync(path)
  other.exec("begin immediate")
  const written = store.messages.put("s1", messageRow(2, "late"))
  expect(await store.messages.get("s1", 1)).toMatchObject({ message: userMessage("before") })
  await expect(written).rejects.toMatchObject({ code: "storage_failed", message: expect.stringContaining("locked") })
  other.exec("rollback")
  other.close()
  expect(await store.messages.put("s1", messageRow(2, "late"))).toBe(true)
  await store.close()
})

test("a damaged file is an error, not a wrong answer", async () => {
  const { store, path } = await openFailing()
  await store.messages.put("s1", messageRow(2, "y".repeat(100_000)))
  await store.close()
  const file = await open(path, "r+")
  const { size } = await file.stat()
  await file.write(Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096)
  await file.close()
  const read = async () => {
    const damaged = await openSqliteDatabase({ path, lockTimeoutMs: 1000, now: Date.now })
    const again = createStore({ database: damaged, storeId: "x", pollIntervalMs: 25 })
    try {
      return await again.messages.read("s1", { headSeq: 9 })
    } finally {
      await again.close()
    }
  }
  await expect(read()).rejects.toMatchObject({ code: "storage_failed", message: expect.stringContaining(path) })
})

test("a follower gets the failure, and a later follower continues", async () => {
  const { store, database } = await openFailing()
  await store.events.append("s1", [event()])
  await database.write((db) => sql.raw("update events set data = '{broken'").execute(db))
  const abort = new AbortController()
  const follow = () => store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]().next()
  await expect(follow()).rejects.toMatchObject({ code: "storage_failed" })
  await database.write((db) => sql.raw("update events set data = null").execute(db))
  expect((await follow()).value).toMatchObject({ id: 1 })
  abort.abort()
  await store.close()
})
