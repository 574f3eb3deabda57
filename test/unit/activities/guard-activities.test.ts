import { setTimeout as delay } from "node:timers/promises"
import { ApplicationFailure, CancelledFailure, heartbeat } from "@temporalio/activity"
import { MockActivityEnvironment } from "@temporalio/testing"
import { DefaultFailureConverter, defaultPayloadConverter } from "@temporalio/common"
import { describe, expect, it } from "vitest"
import { guardActivities } from "../../../activities/guard-activities.ts"
import { onItsMachine } from "../../../activities/run/placement.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** Returns the stack trace that the engine stores for an activity that throws the error. */
const storedStack = async (raised: unknown): Promise<string | null | undefined> => {
  const { activity } = guardActivities({
    activity: async (): Promise<void> => {
      throw raised
    },
  })
  const thrown: unknown = await activity().catch((reason: unknown) => reason)
  expect(thrown).toBe(raised)
  return new DefaultFailureConverter().errorToFailure(thrown, defaultPayloadConverter).stackTrace
}

describe("the stack trace of an activity's failure", () => {
  it.each([
    ApplicationFailure.nonRetryable("session abc is not in the store", "session_not_found"),
    ApplicationFailure.create({ message: "the provider answers 529", type: "provider_error" }),
    new CancelledFailure("the model call was cancelled"),
    new AdjutantError("storage_failed", "the disk is full"),
  ])("is dropped if the failure is raised on purpose: $message", async (error) => {
    expect(await storedStack(error)).toBe("")
  })

  it("is kept if the failure is a bug", async () => {
    expect(await storedStack(new TypeError("x is not a function"))).toContain("guard-activities.test.ts")
  })
})

it("passes arguments and results through unchanged", async () => {
  const { add } = guardActivities({ add: async (a: number, b: number) => a + b })
  expect(await add(1, 2)).toBe(3)
})

describe("heartbeats", () => {
  /** Runs an activity that can wait until the engine has got three heartbeats. Returns their details. */
  const beating = async (
    info: { readonly heartbeatTimeoutMs?: number },
    wait: (beaten: Promise<void>) => Promise<void>,
  ) => {
    const engine = new MockActivityEnvironment(info)
    const details: unknown[] = []
    const beaten = new Promise<void>((resolve) => {
      engine.on("heartbeat", (detail: unknown) => {
        details.push(detail)
        if (details.length === 3) resolve()
      })
    })
    await engine.run(() => wait(beaten))
    return details
  }

  it("are sent while an activity waits for the store to say on which machine it has to run", async () => {
    const details = await beating({ heartbeatTimeoutMs: 40 }, async (beaten) => {
      const findElsewhere = async () => {
        await beaten
        return undefined
      }
      const { callModel } = guardActivities({
        callModel: onItsMachine(findElsewhere, async (call: { readonly sessionId: string }) => call.sessionId),
      })
      expect(await callModel({ sessionId: "s1" })).toBe("s1")
    })
    expect(details).toEqual([undefined, undefined, undefined])
  })

  it("are sent while an activity waits for the answer of the engine that it belongs to", async () => {
    const details = await beating({ heartbeatTimeoutMs: 40 }, async (beaten) => {
      const { callModel } = guardActivities({ callModel: async () => undefined }, { before: () => beaten })
      await callModel()
    })
    expect(details).toHaveLength(3)
  })

  it("are left to an activity whose own ones say how far it is", async () => {
    const details = await beating({ heartbeatTimeoutMs: 4 }, async () => {
      const { look } = guardActivities(
        {
          look: async () => {
            heartbeat({ position: 7 })
            await delay(30)
          },
        },
        { reportsProgress: ["look"] },
      )
      await look()
    })
    expect(details).toEqual([{ position: 7 }])
  })
})
