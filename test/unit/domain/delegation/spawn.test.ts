import { describe, expect, it } from "vitest"
import type { ToolSurface } from "../../../../domain/advice/surface.ts"
import { unknownName } from "../../../../domain/delegation/delegation-refusal.ts"
import { errorResult } from "../../../../domain/delegation/error-result.ts"
import {
  allowedAgents,
  refuseByPlace,
  refuseByArguments,
  type SpawnArguments,
} from "../../../../domain/delegation/spawn-refusals.ts"
import { refusedSpawnAnswer, startedAnswer } from "../../../../domain/delegation/spawn-result.ts"

const wish: SpawnArguments = {
  agentId: undefined,
  allowed: ["general"],
  requireAgentId: false,
  thread: false,
  mode: undefined,
  channel: "none",
}

describe("the rejection of a spawn", () => {
  it("has the texts that clients depend on", () => {
    expect(refuseByPlace({ depth: 1, maxDepth: 1, activeChildren: 0, maxChildren: 5 })).toMatchObject({
      status: "forbidden",
      error: "sessions_spawn is not allowed at this depth (current depth: 1, max: 1)",
    })
    expect(refuseByPlace({ depth: 0, maxDepth: 1, activeChildren: 5, maxChildren: 5 })).toMatchObject({
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
    expect(refuseByArguments({ ...wish, thread: true, mode: "session", channel: "open" })).toBeUndefined()
    expect(refuseByArguments({ ...wish, thread: true })?.error).toContain("the requester has none")
    expect(refuseByArguments({ ...wish, thread: true, channel: "closed" })?.error).toContain(
      "threadBindings.spawnSubagentSessions is false",
    )
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

const outside: ToolSurface = {
  kind: "tool",
  tools: ["get_all_tasks", "wait_for_tasks", "cancel_task"],
  isTold: false,
  mayApprove: true,
}
const inRun: ToolSurface = { ...outside, tools: ["subagents"], isTold: true }

describe("the answer to a spawn", () => {
  const child = { sessionId: "abc123", runId: "run_1", childSessionKey: "agent:general:subagent:abc123" }
  const started = { child, title: "d", model: "light", tools: ["Read"], sandboxed: false }

  it('is "accepted" with the contract\'s fields and what to do next', () => {
    const answer = startedAnswer("sessions_spawn", started, inRun)
    expect(answer.structured).toEqual({
      ...{ status: "accepted", ...child },
      next: expect.stringContaining("You will receive its result as a message"),
    })
    const warned = startedAnswer("sessions_spawn", { ...started, child: { ...child, warning: "other model" } }, outside)
    expect(warned.text).toContain("Warning: other model")
    expect(warned.structured).toMatchObject({ warning: "other model" })
  })

  it("is a rejection in the tool's own shape, or the tasks family's error", () => {
    const refusal = { status: "forbidden", error: "no" } as const
    expect(refusedSpawnAnswer("sessions_spawn", refusal, outside)).toEqual({
      text: "no",
      structured: refusal,
      isError: true,
    })
    expect(refusedSpawnAnswer("run_command_task", refusal, outside)).toEqual(errorResult("TASK_START_FAILED", "no"))
    const wrong = { status: "error", error: "no", about: "arguments" } as const
    expect(refusedSpawnAnswer("dynamic_subagent_task", wrong, outside)).toEqual(errorResult("VALIDATION_ERROR", "no"))
  })

  it("says after the fixed sentence how a place becomes free", () => {
    const refusal = { status: "forbidden", error: "no", about: "places" } as const
    const next = expect.stringMatching(/get_all_tasks {} shows them\. .*or end one with cancel_task {task_id: "…"}/)
    expect(refusedSpawnAnswer("sessions_spawn", refusal, outside).structured).toEqual({
      status: "forbidden",
      error: "no",
      next,
    })
    expect(refusedSpawnAnswer("dynamic_subagent_task", refusal, inRun)).toMatchObject({
      text: expect.stringMatching(/^TASK_START_FAILED: no\n\nsubagents {action: "list"} shows them/),
      structured: { error: { code: "TASK_START_FAILED", message: "no" } },
    })
  })

  it("names the started task", () => {
    const answer = startedAnswer("dynamic_subagent_task", started, outside)
    expect(answer.text).toContain("Task ID: abc123")
    const next = 'Get its result with wait_for_tasks {task_ids: ["abc123"]} when you need it. Do not poll.'
    expect(answer.structured).toMatchObject({ task_id: "abc123", status: "running", next })
    expect(answer.text.endsWith(next)).toBe(true)
  })

  it.each([
    [{ sandboxed: false }, "Sandbox: no; calls that change something require approval"],
    [{ sandboxed: true }, "Sandbox: yes; calls that change something require approval"],
    [{ sandboxed: true, taskSandbox: true }, "Sandbox: yes: commands only read the working directory"],
  ])("says which sandbox a task has, and whether it asks: %j", (sandbox, line) => {
    const { text } = startedAnswer("dynamic_subagent_task", { ...started, ...sandbox }, outside)
    expect(text.split("\n")).toContain(line)
  })
})

describe("an error of the tasks tools", () => {
  it("is `CODE: message`, with the same content as data", () => {
    expect(errorResult("VALIDATION_ERROR", "bad")).toEqual({
      text: "VALIDATION_ERROR: bad",
      structured: { error: { code: "VALIDATION_ERROR", message: "bad" } },
      isError: true,
    })
    expect(unknownName("x\n".repeat(500), outside).message.length).toBeLessThan(400)
    expect(unknownName("x", outside).next).toContain("get_all_tasks {}")
    expect(unknownName("x", inRun).next).toContain('subagents {action: "list"}')
  })
})
