import { expect, test } from "vitest"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { openTestStore, storeWithSession, testEachDatabase } from "./store-fixture.ts"

testEachDatabase(() => {
  test("an inbox row keeps the first text of its id", async () => {
    const store = await storeWithSession({ now: () => 0 })
    const row = { id: "i1", sessionId: "s1", source: "steering", text: "stop \u0000 \udfff" } as const
    await store.inbox.put(row)
    await store.inbox.put({ ...row, text: "other" })
    expect(await store.inbox.get("s1", "i1")).toEqual({ ...row, at: "1970-01-01T00:00:00.000Z" })
    expect(await store.inbox.get("s2", "i1")).toBeUndefined()
  })

  test("an entry that survives only a crash is there at once, and a sync makes it outlast a power cut", async () => {
    const store = await openTestStore()
    const entry = { sessionId: "s1", runId: null, action: "decide", by: "ana", via: "cli", detail: {} }
    await store.audit.record(entry, "crash")
    await store.synced()
    expect(await store.audit.list({ sessionId: "s1" })).toMatchObject([{ action: "decide", by: "ana" }])
  })

  test("the public address is the latest one", async () => {
    const store = await openTestStore()
    expect(await store.publicAddress.read()).toBeUndefined()
    await store.publicAddress.write("http://127.0.0.1:7420")
    await store.publicAddress.write("http://127.0.0.1:7488")
    expect(await store.publicAddress.read()).toBe("http://127.0.0.1:7488")
  })

  test("the current build is the one that was written last", async () => {
    const store = await openTestStore()
    expect(await store.build.read()).toBeUndefined()
    for (const version of ["1.0.0", "1.1.0"]) {
      const build = { buildId: `b${version}`, version, patches: [] }
      await store.build.write(build)
      expect(await store.build.read()).toEqual(build)
    }
  })

  test("todos are replaced as a whole", async () => {
    const store = await storeWithSession()
    expect(await store.todos.read("s1")).toEqual([])
    await store.todos.write("s1", [{ content: "a", status: "pending" }])
    await store.todos.write("s1", [{ content: "b", status: "completed" }])
    expect(await store.todos.read("s1")).toEqual([{ content: "b", status: "completed" }])
  })

  test("the notes of a folder belong to the first message that shows them, until the session is erased", async () => {
    const store = await storeWithSession()
    const { shownFolders } = store
    expect(await shownFolders.show("s1", 4, ["a", "a/b"])).toEqual(["a", "a/b"])
    expect(await shownFolders.show("s1", 6, ["a", "a/b", "a/c"])).toEqual(["a/c"])
    // The same message, written again by another attempt.
    expect(await shownFolders.show("s1", 4, ["a", "a/b"])).toEqual(["a", "a/b"])
    expect(await shownFolders.show("s1", 8, [])).toEqual([])
    expect(await shownFolders.show("s1", 8, ["a/c", "a"])).toEqual([])
    expect(await shownFolders.show("other", 1, ["a"])).toEqual([])
    await store.sessions.erase("s1")
    expect(await shownFolders.show("s1", 9, ["a"])).toEqual([])
  })

  test("what a session read and wrote of a file is the latest of each, until the session is erased", async () => {
    const store = await storeWithSession()
    const { touchedFiles } = store
    await touchedFiles.put("s1", { path: "a", seen: "1" })
    await touchedFiles.put("s1", { path: "a", seen: "2", written: "2" })
    await touchedFiles.put("s1", { path: "b", written: "3" })
    await touchedFiles.put("s1", { path: "a", seen: "4" })
    await touchedFiles.put("other", { path: "a", seen: "5" })
    expect(await touchedFiles.seen("s1", "a")).toBe("4")
    expect(await touchedFiles.seen("s1", "b")).toBeUndefined()
    expect([...(await touchedFiles.written("s1"))]).toEqual([
      ["a", "2"],
      ["b", "3"],
    ])
    await store.sessions.erase("s1")
    expect(await touchedFiles.seen("s1", "a")).toBeUndefined()
  })

  test("audit entries are listed newest first, and a key counts once", async () => {
    const store = await openTestStore({ now: () => 0 })
    const entry = { sessionId: "s1", runId: null, action: "approve", by: "ann", via: "cli", detail: { calls: ["c1"] } }
    await store.audit.record({ ...entry, key: "k" })
    await store.audit.record({ ...entry, key: "k", by: "bob" })
    await store.audit.record({ ...entry, by: "eve" })
    await store.audit.record({ ...entry, by: "eve" })
    await store.audit.record({ ...entry, sessionId: "s2" })
    const all = await store.audit.list({})
    expect(all.map((row) => row.by)).toEqual(["ann", "eve", "eve", "ann"])
    const given = { kind: "program", hash: null, at: "1970-01-01T00:00:00.000Z" }
    expect(all[0]).toEqual({ ...entry, ...given, sessionId: "s2", id: all[0]?.id })
    expect(await store.audit.list({ sessionId: "s1", limit: 2 })).toHaveLength(2)
  })

  // The store does not read a snapshot: any content will do.
  const snapshotOf = (text: string): RunSnapshot => JSON.parse(text)

  test("a snapshot's hash depends on its content, not on the order of its keys", async () => {
    const store = await openTestStore()
    const hash = await store.snapshots.put(
      snapshotOf('{"policy":{"Read":"auto","Bash":"prompt"},"tools":["Read","Grep"]}'),
    )
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(
      await store.snapshots.put(snapshotOf('{"tools":["Read","Grep"],"policy":{"Bash":"prompt","Read":"auto"}}')),
    ).toBe(hash)
    const other = snapshotOf('{"policy":{"Read":"auto","Bash":"prompt"},"tools":["Grep","Read"]}')
    expect(await store.snapshots.put(other)).not.toBe(hash)
    expect(await store.snapshots.get(hash)).toEqual({
      policy: { Read: "auto", Bash: "prompt" },
      tools: ["Read", "Grep"],
    })
    expect(await store.snapshots.get("0".repeat(64))).toBeUndefined()
  })
})
