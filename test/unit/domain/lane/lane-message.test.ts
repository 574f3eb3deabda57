import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkAcquire, checkPlace, checkSlotOffer } from "../../../../domain/lane/lane-message.ts"

const place = { workflowId: "subagent/a", runId: "r", turn: 1 }
const settings = { checkMs: 1, idleMs: 1, continueAsNewAfterEvents: 0, maxSignals: 20 }
const acquire = { ...place, resumes: false, capacity: 8, ticket: 7, ...settings }

describe("messages between sessions and their lane", () => {
  it("are accepted if they are complete", () => {
    expect(checkAcquire(acquire)).toEqual({ ok: true, value: acquire })
    expect(checkPlace(place)).toEqual({ ok: true, value: place })
    expect(checkSlotOffer({ run_id: "r", turn: 1 })).toMatchObject({ ok: true })
  })

  it.each(Object.keys(acquire))("are rejected without %s", (key) => {
    expect(checkAcquire({ ...acquire, [key]: undefined })).toMatchObject({ ok: false })
    expect(checkAcquire({ ...acquire, [key]: -1 })).toMatchObject({ ok: false })
  })

  it("never make the parser throw, whatever arrives", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const check of [checkAcquire, checkPlace, checkSlotOffer]) expect(check(value).ok).toBeTypeOf("boolean")
      }),
    )
  })
})
