import { describe, expect, it } from "vitest"
import {
  taskEnvelope,
  taskRefusal,
  type TaskEnvelopeFacts,
} from "../../../../../domain/delegation/task/task-envelope.ts"

const facts: TaskEnvelopeFacts = {
  sessionId: "abc123",
  status: "completed",
  stopReason: "completed",
  finalMessage: "It is in a.ts",
  error: null,
  toolCounts: { Read: 3, Grep: 1 },
  modelName: "light",
  subagentType: "explore",
  timeMs: 1_234.4,
  cwd: "/w",
  paramsInput: { prompt: "find it" },
}

describe("taskEnvelope", () => {
  it("is a success for a completed task", () => {
    expect(taskEnvelope(facts)).toMatchObject({
      text: "Subagent (explore, light) completed.\n\nIt is in a.ts",
      structured: {
        status: "success",
        data: {
          status: "completed",
          result: "It is in a.ts",
          tool_summary: [
            { tool: "Read", count: 3 },
            { tool: "Grep", count: 1 },
          ],
          model_used: "light",
          subagent_type: "explore",
          session_id: "abc123",
        },
        text: "Subagent (explore, light) completed.",
        stats: { time_ms: 1_234, tool_calls: 4, model: "light" },
        context: { cwd: "/w", params_input: { prompt: "find it" } },
      },
      isError: false,
    })
  })

  it("contains a long answer once, cut like the text, and cuts long arguments", () => {
    const long = "x".repeat(300_000)
    const { text, structured } = taskEnvelope({
      ...facts,
      finalMessage: long,
      paramsInput: { prompt: long, model: "light" },
    })
    expect(text.length).toBeLessThan(61_000)
    expect(JSON.stringify(structured).length).toBeLessThan(66_000)
    expect(structured).toMatchObject({
      data: { result: expect.stringMatching(/x\n\[cut: the transcript has the full text]$/) },
      context: { params_input: { prompt: expect.stringMatching(/\[cut: 300000 characters in all]$/), model: "light" } },
    })
  })

  it.each(["max_steps", "budget", "timeout"] as const)(
    "is partial if %s ended the task and there is output",
    (stopReason) => {
      const answer = taskEnvelope({ ...facts, status: stopReason === "timeout" ? "timed_out" : "failed", stopReason })
      expect(answer.structured).toMatchObject({ status: "partial", data: { result: "It is in a.ts" } })
      expect(answer.structured).not.toHaveProperty("error")
      expect(answer.isError).toBe(false)
    },
  )

  it("is an error if a limit ended the task and there is no output", () => {
    const answer = taskEnvelope({ ...facts, status: "failed", stopReason: "max_steps", finalMessage: " " })
    expect(answer).toMatchObject({ isError: true, structured: { status: "error", error: { code: "INTERNAL_ERROR" } } })
  })

  it.each(["error", "refusal", "terminated", "cancelled"] as const)(
    "is an error with the message after %s",
    (stopReason) => {
      const answer = taskEnvelope({ ...facts, status: "failed", stopReason, error: { code: "x", message: "it broke" } })
      expect(answer).toMatchObject({
        isError: true,
        structured: { status: "error", error: { code: "INTERNAL_ERROR", message: "it broke" } },
      })
    },
  )
})

describe("taskRefusal", () => {
  it("names no model as used: nothing has run", () => {
    const paramsInput = { model: "gpt", subagent_type: "plan" }
    expect(taskRefusal({ code: "INVALID_PARAM", message: "no", cwd: "/w", paramsInput }).structured).toMatchObject({
      data: { model_used: null },
      stats: { model: null },
    })
  })

  it.each([{ subagent_type: "wizard" }, null, "text", { subagent_type: 7 }])(
    "has the envelope's form for the input %j",
    (paramsInput) => {
      const answer = taskRefusal({ code: "INVALID_PARAM", message: "no", cwd: "/w", paramsInput })
      expect(answer.isError).toBe(true)
      expect(answer.structured).toMatchObject({
        status: "error",
        error: { code: "INVALID_PARAM", message: "no" },
        data: { session_id: null },
        context: { params_input: paramsInput },
      })
      expect(Object.keys(answer.structured)).toEqual(["status", "data", "text", "stats", "context", "error"])
    },
  )
})
