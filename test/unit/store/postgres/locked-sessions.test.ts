import pg from "pg"
import { expect, it, onTestFinished } from "vitest"
import { createStreamedEvents } from "../../../../activities/streamed-events.ts"
import type { NewEvent } from "../../../../store/store.ts"
import { createSchema, postgres } from "../../../helpers/store/store-under-test.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { newSession, openTestStore } from "../store-fixture.ts"

/** Opens a store with sessions, and a connection that locks one of them until it is released. */
const openWithSessions = async (ids: readonly string[], lockTimeoutMs?: number) => {
  const url = await createSchema()
  const store = await openTestStore({ url, ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }) })
  for (const id of ids) await store.sessions.create(newSession(id))
  const lock = async (id: string): Promise<() => Promise<void>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    let isHeld = true
    const release = async (): Promise<void> => {
      if (!isHeld) return
      isHeld = false
      await client.query("rollback")
      await client.end()
    }
    onTestFinished(release)
    await client.query("begin")
    await client.query("select 1 from sessions where id = $1 for no key update", [id])
    return release
  }
  return { store, lock }
}

const text = (piece: string): NewEvent => ({
  type: "text-delta",
  runId: "r1",
  data: { seq: 1, attempt: 1, text: piece },
})

const unexpected = (error: unknown): never => {
  throw error
}

describeWith([postgres()], "streamed text while another transaction has locked a session", () => {
  it("of the other sessions is written, delays no record of them, and its own follows", async () => {
    const { store, lock } = await openWithSessions(["s1", "s2", "s3"], 300)
    const release = await lock("s2")
    const streamed = createStreamedEvents(store, unexpected)
    const shown = async (id: string) =>
      (await store.events.read(id, { after: 0, limit: 10 })).events.map((event) => event["text"]).join("")
    for (const id of ["s1", "s2", "s3"]) streamed.add(id, text(`${id} `))
    await Promise.all(["s1", "s3"].map((id) => streamed.flush(id)))
    expect([await shown("s1"), await shown("s2"), await shown("s3")]).toEqual(["s1 ", "", "s3 "])
    // With the locks of a batch that waits, they would fail after the lock timeout.
    for (const id of ["s1", "s3"]) await store.sessions.patch(id, { stepsTaken: 1 })
    streamed.add("s2", text("continues"))
    const flushed = streamed.flush("s2")
    await release()
    await flushed
    expect(await shown("s2")).toBe("s2 continues")
  })

  it("of a deleted session is left out", async () => {
    const { store } = await openWithSessions(["s1", "s2"])
    await store.sessions.markDeleted("s1")
    const streamed = createStreamedEvents(store, unexpected)
    for (const id of ["s1", "s2"]) streamed.add(id, text(id))
    await Promise.all(["s1", "s2"].map((id) => streamed.flush(id)))
    expect(await store.events.lastId("s1")).toBe(0)
    expect(await store.events.lastId("s2")).toBe(1)
  })
})

describeWith([postgres()], "a write whose work has a time limit", () => {
  it("does not wait for a lock beyond that limit, so that the next try does not overlap with it", async () => {
    const { store, lock } = await openWithSessions(["s1"], 500)
    const release = await lock("s1")
    let hasEnded = false
    const work = async (): Promise<void> => {
      try {
        for (;;)
          await store.sessions.patch("s1", { stepsTaken: 1 }).catch(() => store.sessions.patch("s1", { stepsTaken: 2 }))
      } finally {
        hasEnded = true
      }
    }
    const limitMs = 1_200
    const ended = store.within(limitMs, work)
    await expect(ended).rejects.toMatchObject({ code: "storage_failed" })
    expect(hasEnded).toBe(true)
    await release()
    expect(await store.sessions.get("s1")).toMatchObject({ stepsTaken: 0 })
    // Work without a limit, and a limit that has not passed, wait as before.
    await store.sessions.patch("s1", { stepsTaken: 3 })
    await store.within(10_000, () => store.sessions.patch("s1", { stepsTaken: 4 }))
    expect(await store.sessions.get("s1")).toMatchObject({ stepsTaken: 4 })
  })
})
