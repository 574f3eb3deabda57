import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isDeep } from "../../helpers/effort.ts"
import { expectLimitsHold } from "./expect-limits-hold.ts"
import { limitCommands } from "./limit-commands.ts"
import { startRequests } from "./limit-samples.ts"
import { forget, openRig, type Rig, settle, stopAll } from "./limits-rig.ts"

const numRuns = isDeep ? 40 : 3
let rig: Rig

beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

describe("limits", () => {
  it("only narrow and are kept, whatever people and models do in whatever order", async () => {
    const sequences = fc.commands(limitCommands, { maxCommands: 16, size: "max" })
    await fc.assert(
      fc.asyncProperty(startRequests, sequences, async (first, commands) => {
        await forget(rig)
        try {
          await rig.start(first)
          await settle(rig)
          await fc.asyncModelRun(() => ({ model: { sessions: 1 }, real: rig }), commands)
        } finally {
          await stopAll(rig)
        }
        await expectLimitsHold(rig)
      }),
      { seed: 20_261_121, numRuns, endOnFailure: true },
    )
    expect(rig.past.size).toBeGreaterThan(numRuns)
  }, 900_000)
})
