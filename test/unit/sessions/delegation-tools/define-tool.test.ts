import { describe, expect, it } from "vitest"
import { z } from "zod"
import {
  sessionsSendInputSchema,
  sessionsSpawnInputSchema,
  subagentsInputSchema,
} from "../../../../contracts/delegation/sessions-input.ts"
import { taskInputSchema } from "../../../../contracts/delegation/task-input.ts"
import { dynamicSubagentTaskInputSchema, resumeTaskInputSchema } from "../../../../contracts/delegation/tasks-input.ts"
import { parseArguments } from "../../../../sessions/delegation-tools/define-tool.ts"

const schema = z.strictObject({ task: z.string(), limit: z.number().optional(), ids: z.array(z.string()).optional() })

describe("the arguments of a delegation tool", () => {
  it.each([
    [
      { task: "x", limit: "3", ids: '["a"]' },
      { task: "x", limit: 3, ids: ["a"] },
    ],
    [{ task: "x", limit: null, ids: "" }, { task: "x" }],
    [
      { task: "", limit: 1 },
      { task: "", limit: 1 },
    ],
  ])("are read as a model writes them: %j", (args, value) => {
    expect(parseArguments(schema, args)).toEqual({ ok: true, value })
  })

  it.each([
    ["Task", taskInputSchema, { description: "d", prompt: " ", subagent_type: "general" }, "prompt"],
    [
      "dynamic_subagent_task",
      dynamicSubagentTaskInputSchema,
      { description: "d", instructions: "\n", tools: ["Read"] },
      "instructions",
    ],
    ["resume_task", resumeTaskInputSchema, { task_id: "a", prompt: "\t " }, "prompt"],
    ["sessions_spawn", sessionsSpawnInputSchema, { task: "  " }, "task"],
    ["sessions_send", sessionsSendInputSchema, { sessionKey: "a", message: " " }, "message"],
    ["subagents", subagentsInputSchema, { action: "steer", target: "a", message: " " }, "message"],
  ] as const)("are refused if they tell the sub-agent nothing: %s", (_, input, args, field) => {
    expect(parseArguments(input, args)).toEqual({ ok: false, problem: `${field}: must not be empty` })
  })

  it("are refused with a key that the tool does not have: it may have been a limit", () => {
    expect(parseArguments(schema, { task: "x", limit: "3", maxCost: 1 })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/unknown key: "maxCost"; its arguments are task, limit, ids$/),
    })
    expect(parseArguments(schema, { task: "x", limits: 3 })).toMatchObject({
      problem: expect.stringContaining('unknown key: "limits" (did you mean limit?)'),
    })
    expect(parseArguments(schema, [])).toMatchObject({ ok: false })
  })
})
