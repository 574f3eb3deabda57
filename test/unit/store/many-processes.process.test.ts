import { readdir } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { SessionEvent } from "../../../contracts/event.ts"
import { openStore } from "../../../store/open-store.ts"
import { isDeep } from "../../helpers/effort.ts"
import type { StoreLocation } from "../../helpers/store/store-under-test.ts"
import { startChild } from "./children/child-process.ts"
import {
  newSession,
  openTestStore,
  storeWithSession,
  createStoreLocation,
  userMessage,
  testEachDatabase,
} from "./store-fixture.ts"

const processes = 4
const rounds = isDeep ? 60 : 20
const words = (place: StoreLocation): readonly string[] => [place.url, place.dataDir]

const expectIntact = (path: string): void => {
  const file = new DatabaseSync(path)
  expect(file.prepare("pragma integrity_check").get()).toMatchObject({ integrity_check: "ok" })
  expect(file.prepare("pragma foreign_key_check").all()).toEqual([])
  file.close()
}

testEachDatabase(() => {
  test("processes that write to one session at once lose nothing, repeat nothing and leave no gap", async () => {
    const place = await createStoreLocation()
    const store = await storeWithSession(place)
    const total = processes * rounds * 2 + rounds
    const abort = new AbortController()
    const followed: SessionEvent[] = []
    const following = (async () => {
      for await (const each of store.events.follow("s1", { after: 0, signal: abort.signal })) {
        followed.push(each)
        if (followed.length === total) abort.abort()
      }
    })()

    const claimed: string[] = []
    const children = Array.from({ length: processes }, (_, name) => {
      const child = startChild("hammer.ts", [...words(place), String(name + 1), String(rounds)])
      child.lines.on("line", (line) => claimed.push(line))
      return child
    })
    for (const child of children) expect(await child.exit).toEqual([0, null])
    await following

    expect(followed.map((each) => each.id)).toEqual(Array.from({ length: total }, (_, index) => index + 1))
    for (let name = 1; name <= processes; name += 1) {
      const own = followed.filter((each) => each.run_id === `run-${name}`)
      expect(own.map((each) => [each["round"], each["part"]])).toEqual(
        Array.from({ length: rounds * 2 }, (_, index) => [Math.floor(index / 2) + 1, (index % 2) + 1]),
      )
      // Events of one batch are consecutive.
      for (let index = 0; index < own.length; index += 2) expect(own[index + 1]?.id).toBe((own[index]?.id ?? 0) + 1)
    }
    const shared = followed.filter((each) => each.run_id === "shared")
    expect(shared.map((each) => each["round"])).toEqual(Array.from({ length: rounds }, (_, index) => index + 1))

    const numbers = Array.from({ length: rounds }, (_, index) => index + 1)
    expect(claimed.map(Number).toSorted((a, b) => a - b)).toEqual(numbers)
    const messages = await store.messages.read("s1", { headSeq: rounds })
    expect(messages.map((row) => row.message)).toEqual(numbers.map(() => userMessage(String(processes))))
  })

  test("processes that start together on a new folder agree on the store", async () => {
    const place = await createStoreLocation()
    const children = Array.from({ length: 4 }, (_, name) =>
      startChild("hammer.ts", [...words(place), String(name + 1), "0"]),
    )
    for (const child of children) expect(await child.exit).toEqual([0, null])
    expect(place.url === "sqlite:" ? await readdir(place.dataDir) : ["store.db"]).toEqual(["store.db"])
    const store = await openTestStore(place)
    expect(await store.sessions.create(newSession("s1"))).toBe(true)
  })

  test.each(isDeep ? [1, 2, 3] : [1])(
    "a killed writer leaves a whole file with everything that was confirmed (%d)",
    async (time) => {
      const place = await createStoreLocation()
      const setup = await openStore(place)
      await setup.sessions.create(newSession("s1"))
      await setup.close()
      const child = startChild("endless-writer.ts", words(place))
      let promised = 0
      child.lines.on("line", (line) => {
        promised = Number(line)
        if (promised === 40 * time) child.process.kill("SIGKILL")
      })
      expect(await child.exit).toEqual([null, "SIGKILL"])

      const store = await openTestStore(place)
      const messages = await store.messages.read("s1", { headSeq: Number.MAX_SAFE_INTEGER })
      expect(messages.length).toBeGreaterThanOrEqual(2 * promised)
      expect(messages.length % 2).toBe(0)
      expect(messages.map((row) => row.seq)).toEqual(Array.from({ length: messages.length }, (_, index) => index + 1))
      const { events, lastId } = await store.events.read("s1", { after: 0, limit: 10_000 })
      expect(events.map((each) => each["pair"])).toEqual(
        Array.from({ length: lastId }, (_, index) => Math.floor(index / 2) + 1),
      )
      expect(lastId).toBeGreaterThanOrEqual(2 * promised)
      if (place.url === "sqlite:") expectIntact(join(place.dataDir, "store.db"))
      expect(await store.events.append("s1", [{ type: "step-started", runId: "r1", data: {} }])).toBe(lastId + 1)
    },
    60_000,
  )
})
