import { WorkflowNotFoundError } from "@temporalio/client"
import { describe, expect, it } from "vitest"
import { describeExecution, tryDescribeExecution } from "../../../engine/describe-execution.ts"
import type { EngineClient, ExecutionDescription } from "../../../engine/engine-client.ts"
import { unavailable } from "../client/fake-temporal.ts"

const answering = (describeIt: () => ExecutionDescription): Pick<EngineClient, "workflow"> => ({
  workflow: {
    getHandle: () => ({
      describe: async () => describeIt(),
      query: () => Promise.reject(new Error("not asked")),
    }),
  },
})

const inState = (name: ExecutionDescription["status"]["name"]) =>
  answering(() => ({ status: { code: 0, name }, closeTime: new Date(5) }))

describe("describeExecution", () => {
  it.each([
    ["RUNNING", "running"],
    ["PAUSED", "running"],
    ["CONTINUED_AS_NEW", "running"],
    ["COMPLETED", "completed"],
    ["FAILED", "failed"],
    ["CANCELLED", "cancelled"],
    ["TERMINATED", "terminated"],
    ["TIMED_OUT", "timed_out"],
  ] as const)("maps %s to %s", async (name, status) => {
    expect(await describeExecution(inState(name), "w")).toMatchObject({ status, closedAtMs: 5 })
  })

  it.each(["UNKNOWN", "UNSPECIFIED"] as const)("cannot tell the status of an execution in state %s", async (name) => {
    expect(await describeExecution(inState(name), "w")).toBeUndefined()
  })

  it("returns not_found for an execution that the engine does not know", async () => {
    const forgetful = answering(() => {
      throw new WorkflowNotFoundError("not found", "w", undefined)
    })
    expect(await describeExecution(forgetful, "w")).toMatchObject({ status: "not_found", closedAtMs: null })
  })

  it("rejects if the engine does not answer, unless the caller comes back later", async () => {
    const silent = answering(() => {
      throw unavailable()
    })
    await expect(describeExecution(silent, "w")).rejects.toThrow("connection refused")
    expect(await tryDescribeExecution(silent, "w")).toBeUndefined()
  })
})
