import { describe, expect, it } from "vitest"
import { testEachDatabase, openTestStore } from "../store-fixture.ts"

testEachDatabase(() => {
  describe("workers", () => {
    it("are listed for their machine until they are removed", async () => {
      const { workers } = await openTestStore()
      const here = { identity: "1@a/x", machine: "a", pid: 1, start: "boot:17" }
      await workers.add(here)
      await workers.add({ ...here, identity: "1@b/y", machine: "b" })
      expect(await workers.onMachine("a")).toEqual([here])
      await workers.remove(here.identity)
      expect(await workers.onMachine("a")).toEqual([])
      expect(await workers.onMachine("b")).toHaveLength(1)
    })
  })

  describe("stop requests", () => {
    it("are found by the run that they name, for a day", async () => {
      let now = 1_000
      const { stopRequests } = await openTestStore({ now: () => now })
      await stopRequests.add("r1")
      await stopRequests.add("r1")
      expect(await stopRequests.among(["r0", "r1", "r2"])).toEqual(["r1"])
      expect(await stopRequests.among([])).toEqual([])
      now += 86_400_001
      await stopRequests.add("r2")
      expect(await stopRequests.among(["r1", "r2"])).toEqual(["r2"])
    })
  })
})
