import { describe, expect, it } from "vitest"
import { hasRoomFor, hasRoomForAnswers, maxWaitingCharacters } from "../../../../domain/session/inbox-capacity.ts"
import { openBatch, settleUnstarted } from "../../../../domain/calls/tool-batch.ts"
import { mutating } from "../batch-builder.ts"
import { sessionState } from "../session-state-builder.ts"

const text = (length: number) => ({ source: "steering", inboxId: "i", text: "x".repeat(length) }) as const

describe("a session's inbox capacity", () => {
  it("accepts texts until they would fill one payload together", () => {
    const session = sessionState()
    let taken = 0
    while (hasRoomFor(session, text(65_000))) {
      session.waiting.push(text(65_000))
      taken += 1
    }
    expect(taken).toBe(Math.floor(maxWaitingCharacters / 65_100))
    expect(hasRoomFor(session, text(10))).toBe(true)
  })

  it("counts queued messages, and those from before its pause", () => {
    const session = sessionState()
    const message = { id: "m", type: "follow_up", source: "follow_up", run_id: "x".repeat(400_000) } as const
    session.followUps.push(message)
    expect(hasRoomFor(session, { kind: "answer", message })).toBe(false)
  })

  it("counts results that a person gave for tools", () => {
    const session = sessionState()
    const answered = (length: number) =>
      settleUnstarted(openBatch(1, 1, [mutating("a"), mutating("b")]), {
        outcome: "custom",
        content: "x".repeat(length),
      })
    expect(hasRoomForAnswers(session, answered(200_000))).toBe(true)
    expect(hasRoomForAnswers(session, answered(260_000))).toBe(false)
    session.run.batch = answered(200_000)
    expect(hasRoomFor(session, text(200_000))).toBe(false)
  })
})
