import { describe, expect, it } from "vitest"
import { createTurns } from "../../../../sessions/spawn/turns.ts"

describe("turns", () => {
  it("run work of one name one after another, after a failure too, and other names beside it", async () => {
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
