import { ApplicationFailure, CancelledFailure } from "@temporalio/activity"
import { DefaultFailureConverter, defaultPayloadConverter } from "@temporalio/common"
import { describe, expect, it } from "vitest"
import { guardActivities } from "../../../activities/guard-activities.ts"
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
