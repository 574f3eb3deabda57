import { describe, expect, it } from "vitest"
import { createClosers } from "../../../../service/host/closers.ts"

describe("closers", () => {
  it("run in reverse order, once, and continue after an error", async () => {
    const closed: string[] = []
    const closers = createClosers()
    closers.add(async () => void closed.push("server"))
    closers.add(async () => Promise.reject(new Error("broken")))
    closers.add(async () => void closed.push("client"))
    await expect(closers.closeAll()).rejects.toThrow("broken")
    await closers.closeAll().catch(() => undefined)
    expect(closed).toEqual(["client", "server"])
  })

  it("run at once if they are added after closing", async () => {
    const closers = createClosers()
    await closers.closeAll()
    const late = Promise.withResolvers<void>()
    closers.add(async () => late.resolve())
    await late.promise
  })
})
