import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../../scripts/cluster/private-postgres.ts"
import { startTcpProxy } from "../../../chaos/world/tcp-proxy.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { Store } from "../../../../store/store.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { execute, createSchema, postgres } from "../../../helpers/store/store-under-test.ts"
import { event, messageRow, newSession, openTestStore, createTemporaryFolder } from "../store-fixture.ts"

const openWithSession = async (): Promise<{ store: Store; url: string }> => {
  const url = await createSchema()
  const store = await openTestStore({ url })
  await store.sessions.create(newSession("s1"))
  return { store, url }
}

/** Makes each write of a message fail with the code while the condition on the sequence `tries` is true. */
const failWith = (url: string, code: string, condition: string): Promise<void> =>
  execute(
    url,
    "create sequence tries",
    `create function fail() returns trigger language plpgsql as $$ begin
      if nextval('tries') ${condition} then raise exception 'made to fail' using errcode = '${code}'; end if; return new; end $$`,
    "create trigger failing before insert on messages for each row execute function fail()",
  )

const ownServer = async (): Promise<PrivatePostgres> => {
  const server = await startPrivatePostgres((await findPostgresPrograms()) ?? "")
  onTestFinished(() => server.stop())
  return server
}

describeWith([postgres()], "a PostgreSQL server", () => {
  test("with a full disk causes a clear error, loses nothing, and works again when there is space", async () => {
    const { store, url } = await openWithSession()
    await store.messages.put("s1", messageRow(1, "before"))
    await failWith(url, "53100", "= 2")
    await expect(store.messages.putAll("s1", [messageRow(2, "a"), messageRow(3, "b")])).rejects.toMatchObject({
      code: "storage_failed",
      message: expect.stringMatching(/full: free some space/),
    })
    expect(await store.messages.read("s1", { headSeq: 9 })).toHaveLength(1)
    expect(await store.messages.put("s1", messageRow(2, "after"))).toBe(true)
  })

  test.each(["40001", "40P01"])("that rolls a transaction back (%s) receives it again", async (code) => {
    const { store, url } = await openWithSession()
    await failWith(url, code, "< 3")
    expect(await store.messages.put("s1", messageRow(1, "kept"))).toBe(true)
    expect(await store.messages.get("s1", 1)).toMatchObject({ message: { text: "kept" } })
  })

  test("that lets one writer wait too long for another causes a clear error", async () => {
    const { store, url } = await openWithSession()
    const impatient = await openTestStore({ url, lockTimeoutMs: 20 })
    await store.transaction(async (writes) => {
      await writes.messages.put("s1", messageRow(1, "slow"))
      await expect(impatient.messages.put("s1", messageRow(1, "late", 9))).rejects.toMatchObject({
        code: "storage_failed",
        message: expect.stringContaining("locked"),
      })
    })
    expect(await impatient.messages.put("s1", messageRow(1, "late", 9))).toBe(true)
  })

  test("keeps no part of a session that is erased while others write to it", async () => {
    const { store, url } = await openWithSession()
    const other = await openTestStore({ url })
    const writes = Array.from({ length: 30 }, (_, index) => [
      other.messages.put("s1", messageRow(index + 1, "secret")),
      other.events.append("s1", [event({ text: "secret" })]),
    ])
    await Promise.all([...writes.flat(), store.sessions.erase("s1")])
    expect(await store.messages.read("s1", { headSeq: 99 })).toEqual([])
    expect((await store.events.read("s1", { after: 0, limit: 99 })).events).toEqual([])
  })

  test("that restarts interrupts writers, readers and followers only for a while", async () => {
    const server = await ownServer()
    const store = await openStore({ url: server.url("postgres"), dataDir: "/nowhere" })
    onTestFinished(() => store.close())
    await store.sessions.create(newSession("s1"))
    const abort = new AbortController()
    const followed = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]()
    const first = followed.next()
    await store.events.append("s1", [event({ n: 1 })])
    expect((await first).value).toMatchObject({ n: 1 })

    const second = followed.next()
    const work: Promise<unknown>[] = []
    await server.restart([], () => {
      work.push(store.events.append("s1", [event({ n: 2 })]), store.sessions.get("s1"))
    })
    expect(await Promise.all(work)).toEqual([2, expect.objectContaining({ id: "s1" })])
    expect((await second).value).toMatchObject({ n: 2 })
    abort.abort()
  })

  test("that was the primary one before a failover is left at once, and named only if new connections lead there, too", async () => {
    const server = await ownServer()
    const store = await openStore({ url: server.url("postgres"), dataDir: "/nowhere" })
    onTestFinished(() => store.close())
    await store.sessions.create(newSession("s1"))
    const put = (seq: number) => store.messages.put("s1", messageRow(seq, `row ${seq}`))
    // Several connections that are open before the failover.
    await Promise.all([1, 2, 3, 4, 5].map(put))
    await server.query("alter database postgres set default_transaction_read_only = off")
    await server.query("alter system set default_transaction_read_only = on")
    await server.query("select pg_reload_conf()")
    const done = await Promise.all([6, 7, 8, 9, 10].map(put))
    expect(done).toEqual([true, true, true, true, true])
    await expect(store.probe()).resolves.toBeUndefined()

    await server.query("alter database postgres set default_transaction_read_only = on")
    const impatient = await openStore({ url: server.url("postgres"), dataDir: "/nowhere", patienceMs: 300 })
    onTestFinished(() => impatient.close())
    await expect(impatient.probe()).rejects.toThrow("is read-only: name the primary server")
    await expect(store.within(300, () => store.probe())).rejects.toMatchObject({ code: "storage_failed" })
    expect(await store.messages.read("s1", { headSeq: 99 })).toHaveLength(10)

    await server.query("set transaction read write; alter database postgres set default_transaction_read_only = off")
    expect(await put(11)).toBe(true)
  })

  test("that vanishes without a word delays reads, writes, followers and the end of the process by the limit only", async () => {
    const server = await ownServer()
    const proxy = await startTcpProxy(Number(new URL(server.url("postgres")).port))
    onTestFinished(() => proxy.close())
    const url = new URL(server.url("postgres"))
    url.port = proxy.address.split(":")[1] ?? ""
    const store = await openStore({ url: url.href, dataDir: "/nowhere", answerLimitMs: 500 })
    await store.sessions.create(newSession("s1"))
    const abort = new AbortController()
    const followed = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]()
    const first = followed.next()
    await store.events.append("s1", [event({ n: 1 })])
    await first
    const second = followed.next()
    proxy.silence()
    const work = Promise.all([store.sessions.get("s1"), store.messages.put("s1", messageRow(1, "kept"))])
    expect(await work).toEqual([expect.objectContaining({ id: "s1" }), true])
    await store.events.append("s1", [event({ n: 2 })])
    expect((await second).value).toMatchObject({ n: 2 })
    abort.abort()
    proxy.silence()
    await store.close()
  })

  test("that stays away causes an error after the patience, and not before", async () => {
    const server = await ownServer()
    const store = await openStore({ url: server.url("postgres"), dataDir: "/nowhere", patienceMs: 50 })
    await server.stop()
    await expect(store.sessions.get("s1")).rejects.toMatchObject({ code: "storage_failed" })
    await store.close()
  })

  test("is reached over TLS, and only if its certificate is trusted and has its name", async () => {
    const server = await ownServer()
    const folder = await createTemporaryFolder()
    chmodSync(folder, 0o755)
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    const files = ["-keyout", key, "-out", cert]
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject], {
      stdio: "ignore",
    })
    if (process.getuid?.() === 0) execFileSync("chown", ["nobody", key])
    await server.restart(["ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`])
    const address = server.url("postgres")
    const open = (parameters: string, host = "localhost") =>
      openStore({ url: `${address.replace("127.0.0.1", host)}?${parameters}`, dataDir: "/nowhere" })
    for (const parameters of ["sslmode=require", `sslrootcert=${cert}`, `sslmode=verify-ca&sslrootcert=${cert}`]) {
      const store = await open(parameters)
      const inUse = await store.sessions.list({})
      expect(inUse.items).toEqual([])
      await store.close()
    }
    await expect(open("sslmode=verify-full")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("sslrootcert"),
    })
    await expect(open(`sslrootcert=${cert}`, "127.0.0.1")).rejects.toMatchObject({ code: "invalid_config" })
    await (await open(`sslmode=verify-ca&sslrootcert=${cert}`, "127.0.0.1")).close()
  })
})
