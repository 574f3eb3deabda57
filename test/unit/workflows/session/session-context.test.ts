import { expect, it } from "vitest"
import type { Outbox } from "../../../../activities/contract/agent-activities.ts"
import { emit } from "../../../../domain/session/session-state.ts"
import { withOutbox } from "../../../../workflows/session/session-context.ts"
import { sessionState } from "../../domain/session-state-builder.ts"

it("keeps what an activity had to write until one that carried it has returned", async () => {
  const state = sessionState()
  emit(state.run, "decision-recorded", { by: "ana" })
  state.run.closedCheckpoint = "cp_1"
  state.slot = { ...state.slot, at: "held", rowIsPending: true }

  const neverBegun = withOutbox(state, async () => {
    // Another activity writes meanwhile: its events come later.
    emit(state.run, "steering-applied", {})
    throw new Error("cancelled before a worker took it")
  })
  await expect(neverBegun).rejects.toThrow("cancelled")

  const written: Outbox[] = []
  for (let index = 0; index < 2; index += 1)
    await withOutbox(state, async (outbox) => {
      written.push(outbox)
    })
  expect(written).toMatchObject([
    {
      events: [{ type: "decision-recorded" }, { type: "steering-applied" }],
      closedCheckpoint: "cp_1",
      leftQueue: true,
    },
    { events: [] },
  ])
  expect(written[1]).not.toHaveProperty("closedCheckpoint")
})
