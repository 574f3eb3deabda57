import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { inspectStore, openStore } from "../../../store/open-store.ts"
import { messageRow, newSession, openTestStore, storeWithSession, createTemporaryFolder } from "./store-fixture.ts"

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test("a new store creates its folder and its files readable only by their owner", async () => {
  const dataDir = join(await createTemporaryFolder(), "deep", "data")
  const store = await storeWithSession({ dataDir })
  expect(await modeOf(dataDir)).toBe(0o700)
  const files = await readdir(dataDir)
  expect(files).toContain("store.db")
  for (const file of files) expect(await modeOf(join(dataDir, file))).toBe(0o600)
  await store.close()
})

test("a file that other users could read is made private", async () => {
  const dataDir = await createTemporaryFolder()
  await writeFile(join(dataDir, "store.db"), "")
  await chmod(join(dataDir, "store.db"), 0o666)
  await openTestStore({ dataDir })
  expect(await modeOf(join(dataDir, "store.db"))).toBe(0o600)
})

test("the data and the store id are there after closing, in one file", async () => {
  const dataDir = await createTemporaryFolder()
  const first = await openStore({ url: "sqlite:", dataDir })
  await first.sessions.create(newSession("s1"))
  await first.messages.put("s1", messageRow(1, "kept"))
  await first.close()
  await first.close()
  expect(await readdir(dataDir)).toEqual(["store.db"])
  const second = await openTestStore({ dataDir })
  expect(second.storeId).toMatch(/^[a-z0-9]{8}$/)
  expect(second.storeId).toBe(first.storeId)
  expect(await second.messages.get("s1", 1)).toMatchObject({ message: { text: "kept" } })
})

test("two stores have different ids", async () => {
  expect((await openTestStore()).storeId).not.toBe((await openTestStore()).storeId)
})

test("processes that open a new store at once agree on it", async () => {
  const dataDir = await createTemporaryFolder()
  const stores = await Promise.all(Array.from({ length: 8 }, () => openTestStore({ dataDir })))
  expect(new Set(stores.map((store) => store.storeId)).size).toBe(1)
})

test("the url may name another file", async () => {
  const path = join(await createTemporaryFolder(), "mine.db")
  await openTestStore({ url: `sqlite:${path}`, dataDir: "/nowhere" })
  expect((await stat(path)).isFile()).toBe(true)
  await openTestStore({ url: `sqlite://${path}`, dataDir: "/nowhere" })
})

test.each(["sqlite:relative.db", "sqlite:///", "mysql://x", "", "postgres:ann:hunter2@db/x"])(
  "the url %j is rejected without repeating it",
  async (url) => {
    const dataDir = await createTemporaryFolder()
    const opened = openStore({ url, dataDir })
    await expect(opened).rejects.toMatchObject({ code: url === "sqlite:///" ? "data_dir_unusable" : "invalid_config" })
    await expect(opened).rejects.not.toThrow("hunter2")
    expect(await readdir(dataDir)).toEqual([])
  },
)

test("the error for a data directory that cannot be created names it", async () => {
  const file = join(await createTemporaryFolder(), "file")
  await writeFile(file, "")
  const dataDir = join(file, "data")
  await expect(openStore({ url: "sqlite:", dataDir })).rejects.toMatchObject({
    code: "data_dir_unusable",
    message: expect.stringContaining(dataDir),
  })
})

test("the error for a folder in the file's place names it", async () => {
  const dataDir = await createTemporaryFolder()
  await mkdir(join(dataDir, "store.db"))
  await expect(openStore({ url: "sqlite:", dataDir })).rejects.toMatchObject({ code: "data_dir_unusable" })
})

test("a file that is not a database is named and not changed", async () => {
  const dataDir = await createTemporaryFolder()
  const path = join(dataDir, "store.db")
  const content = "this is not a database ".repeat(300)
  await writeFile(path, content)
  await expect(openStore({ url: "sqlite:", dataDir })).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringContaining(path),
  })
  expect(await readFile(path, "utf8")).toBe(content)
})

test.each([
  ["newer than this one knows", 999, /newer Adjutant \(schema 999.*upgrade Adjutant/],
  ["older than upgrades are supported from", 21, /before the first release \(schema 21\).*move it away/],
])("a store with a schema that is %s is rejected and not changed", async (_, version, message) => {
  const dataDir = await createTemporaryFolder()
  await (await openStore({ url: "sqlite:", dataDir })).close()
  const file = new DatabaseSync(join(dataDir, "store.db"))
  file.exec(`update meta set value = '${version}' where key = 'schema_version'`)
  const refused = { code: "data_dir_unusable", message: expect.stringMatching(message) }
  await expect(openStore({ url: "sqlite:", dataDir })).rejects.toMatchObject(refused)
  await expect(inspectStore({ url: "sqlite:", dataDir })).resolves.toBeUndefined()
  const stored = file.prepare("select value from meta where key = 'schema_version'").get()
  expect(stored).toMatchObject({ value: String(version) })
  file.close()
})

test.each(["create table theirs (a)", "create table meta (key text, value text)"])(
  "a database of another program is rejected and not changed: %s",
  async (statement) => {
    const dataDir = await createTemporaryFolder()
    const file = new DatabaseSync(join(dataDir, "store.db"))
    file.exec(statement)
    await expect(openStore({ url: "sqlite:", dataDir })).rejects.toMatchObject({ code: "data_dir_unusable" })
    expect(file.prepare("select count(*) as tables from sqlite_master").get()).toMatchObject({ tables: 1 })
    file.close()
  },
)
