import { describe, expect, it } from "vitest"
import { newSession, openTestStore, testEachDatabase } from "../store-fixture.ts"

testEachDatabase(() => {
  describe("workers", () => {
    it("are listed for their machine until they are removed", async () => {
      const { workers } = await openTestStore()
      const here = { identity: "1@a/x", machine: "a", pid: 1, start: "boot:17" }
      await workers.note(here)
      await workers.note({ ...here, identity: "1@b/y", machine: "b" })
      expect(await workers.onMachine("a")).toEqual([here])
      await workers.remove(here.identity)
      expect(await workers.onMachine("a")).toEqual([])
      expect(await workers.onMachine("b")).toHaveLength(1)
    })

    it("are forgotten a week after they were last noted, on whichever machine they ran", async () => {
      let now = 1_000
      const { workers } = await openTestStore({ now: () => now })
      const killed = { identity: "1@container/x", machine: "container", pid: 1, start: "boot:17" }
      const running = { ...killed, identity: "1@host/y", machine: "host" }
      for (const worker of [killed, running]) await workers.note(worker)
      now += 6 * 86_400_000
      await workers.note(running)
      expect(await workers.onMachine("container")).toEqual([killed])
      now += 2 * 86_400_000
      await workers.note({ ...running, identity: "2@host/z" })
      expect(await workers.onMachine("container")).toEqual([])
      expect((await workers.onMachine("host")).map(({ identity }) => identity).toSorted()).toEqual([
        "1@host/y",
        "2@host/z",
      ])
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

  describe("machines", () => {
    it("are remembered for good, and are recent for a week", async () => {
      let now = 1_000
      const { machines } = await openTestStore({ now: () => now })
      await machines.note("a")
      now += 6 * 86_400_000
      await machines.note("b")
      expect(await machines.list()).toEqual([
        { name: "a", isRecent: true },
        { name: "b", isRecent: true },
      ])
      now += 2 * 86_400_000
      expect(await machines.list()).toEqual([
        { name: "a", isRecent: false },
        { name: "b", isRecent: true },
      ])
    })

    it("adopt a session once", async () => {
      const { machines, sessions } = await openTestStore()
      await sessions.create(newSession("1"))
      const place = { machine: "a", directory: "id" }
      expect(await machines.placeOf("1")).toMatchObject({ machine: null, directory: null })
      expect(await Promise.all([machines.move("1", null, place), machines.move("1", null, place)])).toContain(false)
      expect(await machines.placeOf("1")).toMatchObject(place)
      expect(await machines.move("1", "a", { machine: "b", directory: null })).toBe(true)
      expect(await machines.placeOf("2")).toBeUndefined()
    })

    it("keep the sessions whose processes were left there", async () => {
      const { machines } = await openTestStore()
      await machines.noteLeft("a", "1")
      await machines.noteLeft("a", "1")
      await machines.noteLeft("b", "2")
      expect(await machines.leftOn("a")).toEqual(["1"])
      await machines.removeLeft("a", "1")
      expect(await machines.leftOn("a")).toEqual([])
      expect(await machines.leftOn("b")).toEqual(["2"])
    })
  })
})
