import { describe, expect, it } from "vitest"
import { errorResult, taskNotFound } from "../../../../domain/delegation/error-result.ts"
import {
  allowedAgents,
  refuseByPlace,
  refuseByArguments,
  type SpawnArguments,
} from "../../../../domain/delegation/spawn-refusals.ts"
import {
  spawnAccepted,
  spawnRefused,
  taskStartRefused,
  taskStarted,
} from "../../../../domain/delegation/spawn-result.ts"

const wish: SpawnArguments = {
  agentId: undefined,
  allowed: ["general"],
  requireAgentId: false,
  thread: false,
  mode: undefined,
  hasChannel: false,
}

describe("the rejection of a spawn", () => {
  it("has the texts that clients depend on", () => {
    expect(refuseByPlace({ depth: 1, maxDepth: 1, activeChildren: 0, maxChildren: 5 })).toEqual({
      status: "forbidden",
      error: "sessions_spawn is not allowed at this depth (current depth: 1, max: 1)",
    })
    expect(refuseByPlace({ depth: 0, maxDepth: 1, activeChildren: 5, maxChildren: 5 })).toEqual({
      status: "forbidden",
      error: "sessions_spawn has reached max active children for this session (5/5)",
    })
    expect(refuseByArguments({ ...wish, agentId: "root", allowed: ["explore", "plan"] })).toEqual({
      status: "forbidden",
      error: "agentId is not allowed for sessions_spawn (allowed: explore, plan)",
    })
  })

  it("does not happen within all limits", () => {
    expect(refuseByPlace({ depth: 0, maxDepth: 1, activeChildren: 4, maxChildren: 5 })).toBeUndefined()
    expect(refuseByArguments(wish)).toBeUndefined()
    expect(refuseByArguments({ ...wish, thread: true, mode: "session", hasChannel: true })).toBeUndefined()
  })

  it("happens without an explicit profile if the rules require one, and without a thread for a session", () => {
    expect(refuseByArguments({ ...wish, requireAgentId: true })?.status).toBe("forbidden")
    expect(refuseByArguments({ ...wish, mode: "session" })).toMatchObject({
      status: "error",
      error: expect.stringContaining("thread: true"),
    })
    expect(refuseByArguments({ ...wish, thread: true })).toMatchObject({
      status: "error",
      error: expect.stringContaining("channel"),
    })
  })

  it.each([
    [[], ["general"]],
    [["*"], ["general", "explore", "mine"]],
    [["mine", "gone"], ["mine"]],
  ])("with allowAgents %j allows %j", (allow, expected) => {
    expect(allowedAgents(allow, "general", ["general", "explore", "mine"])).toEqual(expected)
  })
})

describe("the answer to a spawn", () => {
  const child = { sessionId: "abc123", runId: "run_1", childSessionKey: "agent:general:subagent:abc123" }

  it('is "accepted" with exactly the contract\'s fields', () => {
    expect(spawnAccepted(child, "run").structured).toEqual({ status: "accepted", ...child })
    expect(spawnAccepted({ ...child, warning: "other model" }, "outside").text).toContain("Warning: other model")
  })

  it("is a rejection in the tool's own shape, or the tasks family's error", () => {
    const refusal = { status: "forbidden", error: "no" } as const
    expect(spawnRefused(refusal)).toEqual({ text: "no", structured: refusal, isError: true })
    expect(taskStartRefused(refusal)).toEqual(errorResult("TASK_START_FAILED", "no"))
  })

  it("names the started task", () => {
    const answer = taskStarted(child, { description: "d", model: "light", tools: ["Read"], sandboxed: false })
    expect(answer.text).toContain("Task ID: abc123")
    expect(answer.structured).toMatchObject({ task_id: "abc123", status: "running" })
  })
})

describe("an error of the tasks tools", () => {
  it("is `CODE: message`, with the same content as data", () => {
    expect(errorResult("VALIDATION_ERROR", "bad")).toEqual({
      text: "VALIDATION_ERROR: bad",
      structured: { error: { code: "VALIDATION_ERROR", message: "bad" } },
      isError: true,
    })
    expect(taskNotFound("x\n".repeat(500)).text.length).toBeLessThan(400)
  })
})
