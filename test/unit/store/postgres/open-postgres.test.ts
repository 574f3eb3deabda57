import { inspect } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../../store/open-store.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { execute, createSchema, getPostgresServer, postgres } from "../../../helpers/store/store-under-test.ts"
import { freePort } from "../../../../server/exposure/choose-ports.ts"
import { assistantMessage, messageRow, newSession, openTestStore } from "../store-fixture.ts"

const open = (url: string) => openStore({ url, dataDir: "/nowhere" })

/** Returns the error of opening, with everything that a log could show of it. */
const refusal = async (url: string): Promise<{ code: unknown; message: string; shown: string }> => {
  try {
    await (await open(url)).close()
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error
    return { code: error.code, message: error.message, shown: inspect(error, { depth: 10, showHidden: true }) }
  }
  throw new Error("it was opened")
}

describeWith([postgres()], "a store in PostgreSQL", () => {
  test("keeps the data, under the same store id", async () => {
    const url = await createSchema()
    const first = await open(url)
    await first.sessions.create(newSession("s1"))
    await first.messages.put("s1", messageRow(1, "kept"))
    await first.close()
    await first.close()
    const second = await openTestStore({ url })
    expect(second.storeId).toBe(first.storeId)
    expect(await second.messages.get("s1", 1)).toMatchObject({ message: { text: "kept" } })
  })

  test("is created once by many processes that open it at once", async () => {
    const url = await createSchema()
    const stores = await Promise.all(Array.from({ length: 8 }, () => openTestStore({ url })))
    expect(new Set(stores.map((store) => store.storeId)).size).toBe(1)
  })

  test("is used by a user who cannot create tables, once its owner has opened it", async () => {
    const url = await createSchema()
    const schema = /search_path%3D(\w+)/.exec(url)?.[1] ?? ""
    const role = `${schema}_user`
    const limited = url.replace(/\/\/[^@]+@/, `//${role}:word@`)
    await execute(url, `create role ${role} login password 'word'`, `grant usage on schema ${schema} to ${role}`)
    onTestFinished(() => execute(url, `drop owned by ${role}`, `drop role ${role}`))
    expect(await refusal(limited)).toMatchObject({
      message: expect.stringContaining("let a process of the owner open the store first"),
    })
    const owner = await open(url)
    await owner.close()
    await execute(url, `grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
    const store = await openTestStore({ url: limited })
    expect(store.storeId).toBe(owner.storeId)
    await store.sessions.create(newSession("s1"))
    await store.messages.put("s1", messageRow(1, "kept"))
    expect(await store.messages.get("s1", 1)).toMatchObject({ message: { text: "kept" } })
  })

  test("returns JSON with its keys in their order", async () => {
    const store = await openTestStore({ url: await createSchema() })
    await store.sessions.create(newSession("s1"))
    const call = { id: "c", name: "Write", arguments: { zeta: 1, alpha: { b: 1, a: 2 } } }
    const message = assistantMessage("", "", [{ type: "tool_call", call }])
    await store.messages.put("s1", { ...messageRow(1, ""), message })
    expect(JSON.stringify((await store.messages.get("s1", 1))?.message)).toBe(JSON.stringify(message))
  })

  test("rejects a wrong password, and shows neither it nor the right one", async () => {
    const url = (await createSchema()).replace(/:[^:@/]+@/, ":hunter2@")
    const { code, message, shown } = await refusal(url)
    expect({ code, message }).toMatchObject({ code: "invalid_config", message: expect.stringContaining("PGPASSWORD") })
    expect(shown).not.toContain("hunter2")
  })

  test("asks for a password if there is none", async () => {
    const url = (await createSchema()).replace(/:[^:@/]+@/, "@")
    expect(await refusal(url)).toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/requires a password/),
    })
  })

  test("names a database that does not exist", async () => {
    const url = (await getPostgresServer()).replace(/postgres$/, "nothing_here")
    expect(await refusal(url)).toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/127\.0\.0\.1:\d+\/nothing_here does not exist/),
    })
  })

  test("names a server that cannot be reached", async () => {
    const url = `postgres://ann:hunter2@127.0.0.1:${await freePort(new Set())}/x`
    expect(await refusal(url)).toMatchObject({
      code: "storage_failed",
      message: expect.stringMatching(/cannot be reached/),
    })
  })

  test("names a server without TLS if TLS is required", async () => {
    const url = `${await createSchema()}&sslmode=require`
    expect(await refusal(url)).toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/does not support TLS/),
    })
  })

  test("names a missing schema and an encoding that cannot represent every text", async () => {
    const server = await getPostgresServer()
    expect(await refusal(`${server}?options=-c%20search_path%3Dnot_there`)).toMatchObject({ code: "invalid_config" })
    await execute(server, "create database latin encoding 'LATIN1' locale 'C' template template0")
    expect(await refusal(server.replace(/postgres$/, "latin"))).toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/LATIN1.*UTF8/),
    })
    await execute(server, "drop database latin")
  })

  test.each(["create table theirs (a int)", "create table meta (key text, value text)"])(
    "does not change a database of another program: %s",
    async (statement) => {
      const url = await createSchema()
      await execute(url, statement)
      expect(await refusal(url)).toMatchObject({ code: "data_dir_unusable" })
      await expect(execute(url, "select * from sessions")).rejects.toThrow("does not exist")
    },
  )

  test.each([
    ["newer than this version knows", 999, /schema 999.*upgrade Adjutant/],
    ["older than upgrades are supported from", 21, /schema 21\).*move it away/],
  ])("rejects a schema that is %s", async (_, version, message) => {
    const url = await createSchema()
    await (await open(url)).close()
    await execute(url, `update meta set value = '${version}' where key = 'schema_version'`)
    expect(await refusal(url)).toMatchObject({ code: "data_dir_unusable", message: expect.stringMatching(message) })
  })
})
