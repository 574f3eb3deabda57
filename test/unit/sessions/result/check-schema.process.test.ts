import { describe, expect, it } from "vitest"
import { createCheckSchema } from "../../../../sessions/result/check-schema.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { createFairQueue } from "../../../../sessions/result/fair-queue.ts"

const endless = { schema: { pattern: "^(a+)+$" }, candidates: [`${"a".repeat(60)}!`], subject: "it" }
const quick = { schema: { type: "integer" }, candidates: ["x"], subject: "it" }

describe("a check of a schema", () => {
  it("names what does not fit, and what the value is called", async () => {
    expect(await createCheckSchema()(quick, { owner: "a" })).toEqual({ kind: "invalid", problem: "it must be integer" })
  })

  it("ends at the time limit, wherever the schema has its pattern", async () => {
    const pattern = "^(a+)+$"
    const text = `${"a".repeat(60)}!`
    const check = createCheckSchema({ threads: 5, timeoutMs: 2_000 })
    const verdicts = [
      { schema: { pattern }, candidate: text },
      { schema: { anyOf: [{ allOf: [{ not: { not: { pattern } } }] }] }, candidate: text },
      { schema: { $ref: "#/$defs/a", $defs: { a: { pattern } } }, candidate: text },
      { schema: { patternProperties: { [pattern]: false } }, candidate: { [text]: 1 } },
      { schema: { propertyNames: { pattern } }, candidate: { [text]: 1 } },
    ].map(({ schema, candidate }, index) =>
      check({ schema, candidates: [candidate], subject: "it" }, { owner: `${index}` }),
    )
    const tooLong = { kind: "unusable", problem: expect.stringContaining("takes longer than 2000 ms") }
    expect(await Promise.all(verdicts)).toEqual(verdicts.map(() => tooLong))
    await untilPasses(async () => expect(await check(quick, { owner: "a" })).toMatchObject({ kind: "invalid" }))
  })

  it("ends at the memory limit", async () => {
    const check = createCheckSchema({ memoryMib: 32, timeoutMs: 60_000 })
    const branches = Array.from({ length: 60_000 }, (_, index) => ({ properties: { [`p${index}`]: { type: "null" } } }))
    expect(await check({ schema: { anyOf: branches }, candidates: [{}], subject: "it" }, { owner: "a" })).toMatchObject(
      {
        kind: "unusable",
        problem: expect.stringContaining("memory"),
      },
    )
  })

  it("is refused at once where too many are waiting, in all or of one owner, unless it must be made", async () => {
    const check = createCheckSchema({ threads: 1, timeoutMs: 500, waiting: 3, waitingPerOwner: 2 })
    const slow = [1, 2, 3].map(() => check(endless, { owner: "a", waitMs: 60_000 }))
    expect(await check(quick, { owner: "a", waitMs: 60_000 })).toEqual({ kind: "busy" })
    const others = ["b", "c"].map((owner) => check(quick, { owner, waitMs: 60_000 }))
    expect(await others[1]).toEqual({ kind: "busy" })
    expect(await check(quick, { owner: "a" })).not.toEqual({ kind: "busy" })
    expect(await others[0]).not.toEqual({ kind: "busy" })
    expect(await Promise.all(slow)).toMatchObject(slow.map(() => ({ kind: "unusable" })))
  })

  it("waits no longer than its owner allows", async () => {
    const check = createCheckSchema({ threads: 1, timeoutMs: 500 })
    const first = check(endless, { owner: "a" })
    expect(await check(quick, { owner: "b", waitMs: 10 })).toEqual({ kind: "busy" })
    expect(await first).toMatchObject({ kind: "unusable" })
  })

  it("is not delayed by the slow checks of another owner", async () => {
    const check = createCheckSchema({ threads: 2, timeoutMs: 500 })
    const ended: string[] = []
    const slow = [1, 2, 3].map(() => check(endless, { owner: "a" }).then(() => ended.push("a")))
    const other = check(quick, { owner: "b" }).then(() => ended.push("b"))
    await Promise.all([...slow, other])
    expect(ended.indexOf("b")).toBeLessThan(2)
  })
})

describe("a fair queue", () => {
  it("lets owners take turns, each with one item at a time", () => {
    const queue = createFairQueue<number>({ waiting: 10, waitingPerOwner: 10 })
    for (const item of [1, 2, 3]) queue.add("a", item, false)
    for (const item of [4, 5]) queue.add("b", item, false)
    const taken: (number | undefined)[] = []
    const take = () => taken.push(queue.take()?.item)
    take()
    take()
    take()
    queue.done("a")
    queue.done("b")
    take()
    take()
    queue.done("b")
    queue.done("a")
    take()
    expect(taken).toEqual([1, 4, undefined, 2, 5, 3])
  })

  it("forgets what was removed, and counts it no longer", () => {
    const queue = createFairQueue<number>({ waiting: 1, waitingPerOwner: 1 })
    expect(queue.add("a", 1, false)).toBe(true)
    expect(queue.add("b", 2, false)).toBe(false)
    expect(queue.remove("a", 1)).toBe(true)
    expect(queue.remove("a", 1)).toBe(false)
    expect(queue.add("b", 2, false)).toBe(true)
    expect(queue.take()?.item).toBe(2)
  })
})
