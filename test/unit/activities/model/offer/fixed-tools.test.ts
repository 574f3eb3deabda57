import { describe, expect, it } from "vitest"
import { z } from "zod"
import { fixedTools } from "../../../../../activities/model/offer/fixed-tools.ts"
import type { RunSnapshot } from "../../../../../contracts/run-snapshot.ts"
import type { Store } from "../../../../../store/store.ts"
import type { Tool } from "../../../../../tools/tool.ts"
import { createStoreLocation, newSession, openTestStore, testEachDatabase } from "../../../store/store-fixture.ts"

const snapshot = {
  tools: ["mcp__s__*"],
  deniedTools: [],
  model: "main",
  models: {},
  mcpServers: { s: {} },
  maxOfferedTools: 2,
} as unknown as RunSnapshot

const tool = (name: string): Tool => ({
  name: `mcp__s__${name}`,
  description: "",
  input: z.strictObject({}),
  readOnly: true,
  idempotent: true,
  execute: async () => ({ content: "" }),
})

/** What a worker asks for the list of a run, whose server lists these tools now. */
const fix = async (store: Store, runId: string, ...served: readonly string[]) => {
  const list = await fixedTools(
    { store },
    { sessionId: "s1", runId },
    { snapshot, offered: { served: served.map(tool), down: [] }, others: 0 },
  )
  return list.map(({ name }) => name.replace("mcp__s__", ""))
}

testEachDatabase(() => {
  describe("the list of a run", () => {
    /** The stores of two workers, with a session whose present run is `r2`. */
    const openTwo = async () => {
      const place = await createStoreLocation()
      const [store, other] = [await openTestStore(place), await openTestStore(place)]
      await store.sessions.create({ ...newSession("s1"), internal: { surroundings: ["here"] } })
      await store.sessions.patch("s1", { runId: "r2" })
      return { store, other }
    }
    const events = async (store: Store) => (await store.events.read("s1", { after: 0, limit: 10 })).events

    it("is what the first request fixed, also on another worker, with one event about what is left out", async () => {
      const { store, other } = await openTwo()
      expect(await fix(store, "r2", "a", "b", "c")).toEqual(["a", "b"])
      expect(await fix(other, "r2", "d")).toEqual(["a", "b"])
      expect(await events(store)).toMatchObject([{ type: "tools-unlisted", run_id: "r2" }])
      expect((await store.sessions.get("s1"))?.internal).toMatchObject({ surroundings: ["here"] })
    })

    it("is one of two attempts that fix it at the same time", async () => {
      const { store, other } = await openTwo()
      const [first, second] = await Promise.all([fix(store, "r2", "a"), fix(other, "r2", "b")])
      expect(second).toEqual(first)
    })

    it("is not replaced by a stalled attempt of an earlier run", async () => {
      const { store, other } = await openTwo()
      await fix(store, "r2", "a")
      const before = await store.sessions.get("s1")
      expect(await fix(other, "r1", "b", "c", "d")).toEqual(["b", "c"])
      expect((await store.sessions.get("s1"))?.internal).toEqual(before?.internal)
      expect(await events(store)).toEqual([])
    })
  })
})
