import { expect, test, vi } from "vitest"
import { describeWith } from "../../../helpers/needs.ts"
import { createSchema, openTestStore, postgres } from "../../../helpers/store/store-under-test.ts"
import { newSession } from "../store-fixture.ts"

const limits = { requestsPerMinute: 6 }
const request = { key: "a key", limits, tokens: 0, leaseMs: 30_000 }
const call = (session: number) => ({ sessionId: `s${session}`, runId: `r${session}`, step: 1 })
const hourMs = 3_600_000

describeWith([postgres()], "the limits of a provider's key", () => {
  test("follow the server's clock, whatever the clocks of the workers say", async () => {
    const url = await createSchema()
    const now = vi.spyOn(Date, "now")
    try {
      const store = await openTestStore({ url })
      for (const id of [1, 2, 3]) await store.sessions.create(newSession(`s${id}`))
      expect(await store.providerCalls.reserve(call(1), request)).toEqual({ isReserved: true })
      for (const offsetMs of [-hourMs, hourMs]) {
        now.mockImplementation(() => Math.round(performance.timeOrigin + performance.now()) + offsetMs)
        const other = await openTestStore({ url })
        const answer = await other.providerCalls.reserve(call(offsetMs < 0 ? 2 : 3), request)
        expect(answer).toMatchObject({ isReserved: false })
        if (answer.isReserved) throw new Error("the call was reserved")
        expect(answer.waitMs).toBeLessThanOrEqual(20_000)
      }
    } finally {
      now.mockRestore()
    }
  })
})
