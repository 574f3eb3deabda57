import { describe, expect, it } from "vitest"
import { cutShards, shardOfTree } from "../../../scripts/deep/cut-shards.ts"
import { deepEntries, preparationsFor } from "../../../scripts/deep/deep-entries.ts"

const shardSeconds = 2 * 8 * 60

describe("cutShards", () => {
  it("puts each entry into exactly one shard", () => {
    const entries = Array.from({ length: 50 }, (_, index) => `test/${index}.deep.test.ts`)
    const times = Object.fromEntries(entries.map((entry, index) => [entry, (index * 37) % 300]))
    expect(cutShards(entries, times).flat().toSorted()).toEqual(entries.toSorted())
  })

  it("keeps each shard within eight minutes of two processes", () => {
    const entries = Array.from({ length: 40 }, (_, index) => `test/${index}.deep.test.ts`)
    const times = Object.fromEntries(entries.map((entry, index) => [entry, 20 + ((index * 53) % 200)]))
    for (const shard of cutShards(entries, times))
      expect(shard.reduce((sum, entry) => sum + (times[entry] ?? 0), 0)).toBeLessThanOrEqual(shardSeconds)
  })

  it("gives the same shards for the same entries in another order", () => {
    const times = { a: 500, b: 500, c: 300, d: 20 }
    expect(cutShards(["a", "b", "c", "d", "new"], times)).toEqual(cutShards(["new", "d", "c", "b", "a"], times))
  })

  it("fills a shard before it begins another", () => {
    expect(cutShards(["a", "b", "c"], { a: 800, b: 700, c: 30 })).toEqual([["a", "c"], ["b"]])
  })
})

describe("shardOfTree", () => {
  it("is the first four bytes of the hash modulo the number of shards", () => {
    expect(shardOfTree("0000000a00000000000000000000000000000000", 4)).toBe(2)
    expect(shardOfTree("ffffffff00000000000000000000000000000000", 7)).toBe(0xff_ff_ff_ff % 7)
  })

  it("refuses a text that is not a hash", () => {
    expect(() => shardOfTree("HEAD", 4)).toThrow(/not the hash of a git tree/)
  })
})

describe("deepEntries", () => {
  it("lists deep tests, files that try more cases, and scripts", () => {
    expect(deepEntries()).toEqual(
      expect.arrayContaining([
        "test/e2e/cluster/cluster.deep.test.ts",
        "test/workflow/inbox/inbox-fuzz.test.ts",
        "scripts/check-image-steps.ts",
      ]),
    )
    expect(deepEntries()).not.toContain("test/unit/tooling/deep-shards.test.ts")
  })
})

describe("preparationsFor", () => {
  it("names what only single entries need", () => {
    expect(preparationsFor(["test/e2e/cluster/cluster.deep.test.ts"]).map(({ script }) => script)).toEqual([
      "scripts/ensure-temporal-server.ts",
    ])
    expect(preparationsFor(["test/workflow/http/schemathesis.deep.test.ts"])).toMatchObject([
      { args: ["schemathesis"] },
    ])
    expect(preparationsFor(["test/e2e/chaos/chaos.deep.test.ts"])).toEqual([])
  })
})
