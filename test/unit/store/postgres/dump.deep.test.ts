import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished } from "vitest"
import { findPostgresPrograms, startPrivatePostgres } from "../../../../scripts/cluster/private-postgres.ts"
import { openStore } from "../../../../store/open-store.ts"
import { testWith } from "../../../helpers/needs.ts"
import { execute, getPostgresServer, postgres } from "../../../helpers/store/store-under-test.ts"
import { event, newSession, openTestStore } from "../store-fixture.ts"

const run = promisify(execFile)

testWith(
  [postgres()],
  "a dump is restored into another cluster: nothing that happened before is new there",
  async () => {
    const programs = await findPostgresPrograms()
    if (programs === undefined) throw new Error("there is no PostgreSQL")
    const server = await getPostgresServer()
    await execute(server, "create database dumped")
    onTestFinished(() => execute(server, "drop database dumped with (force)"))
    const url = server.replace(/postgres$/, "dumped")
    const before = await openStore({ url, dataDir: "/nowhere" })
    await before.sessions.create(newSession("s1"))
    // The ids of transactions are far beyond those of a new cluster.
    await execute(url, ...Array.from({ length: 500 }, () => "select pg_current_xact_id()"))
    await before.events.append("s1", [event(), event(), event()])
    const cursor = await before.events.storeCursor()
    await before.close()

    const other = await startPrivatePostgres(programs)
    onTestFinished(() => other.stop())
    await other.query("create database restored")
    const { stdout: dump } = await run(path.join(programs, "pg_dump"), [url], { maxBuffer: 64 * 1024 ** 2 })
    const restoring = run(path.join(programs, "psql"), ["-v", "ON_ERROR_STOP=1", other.url("restored")])
    restoring.child.stdin?.end(dump)
    await restoring

    const store = await openTestStore({ url: other.url("restored") })
    expect(await store.events.storeCursor()).toBe(cursor)
    const stop = new AbortController()
    const seen: number[] = []
    const followed = (async () => {
      for await (const { events } of store.events.followStore({ from: cursor, signal: stop.signal })) {
        seen.push(...events.map(({ id }) => id))
        if (seen.includes(4)) stop.abort()
      }
    })()
    await store.events.append("s1", [event()])
    await followed
    expect(seen).toEqual([4])
  },
)
