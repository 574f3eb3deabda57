import { describe, expect, it } from "vitest"
import { createTurns } from "../../../../sessions/spawn/turns.ts"

describe("turns of work", () => {
  it("run one after another under one name, even after a failure, and concurrently under other names", async () => {
    const turns = createTurns()
    const order: string[] = []
    const gate = Promise.withResolvers<undefined>()
    const first = turns("a", async () => {
      await gate.promise
      order.push("first")
      throw new Error("failed")
    })
    const second = turns("a", async () => void order.push("second"))
    await turns("b", async () => void order.push("beside"))
    gate.resolve(undefined)
    await expect(first).rejects.toThrow("failed")
    await second
    expect(order).toEqual(["beside", "first", "second"])
  })
})
