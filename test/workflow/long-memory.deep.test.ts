import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import type { Tool } from "../../tools/tool.ts"
import { builtInTools } from "../../tools/own-tools.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createWindowedModel } from "../helpers/models/windowed-model.ts"

let harness: Harness
afterEach(() => harness.close())

/** More than one run can have. */
const steps = 300
const firstSteps = 200
const windowTokens = 16_000
const scripted = {
  provider: "scripted",
  script: "unused.yaml",
  maxOutputTokens: 1_000,
  contextTokens: windowTokens,
} as const

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async () => ({ content: "no herons here ".repeat(60) }),
}

it("answers, after 300 steps and several compactions, what it did and planned in step 5", async () => {
  const windowed = createWindowedModel({
    windowTokens,
    respond: ({ messages }, turn) => {
      if (turn === 4) return { calls: [["Write", { file_path: "decision.md", content: "The port is 4711." }]] }
      if (turn === 5)
        return { calls: [["TodoWrite", { todos: [{ content: "use port 4711", status: "in_progress" }] }]] }
      if (turn === firstSteps) return { text: "More than half of them." }
      if (turn < steps) return { calls: [["Look", { at: turn }]] }
      const shown = JSON.stringify(messages)
      const port = /\[in_progress\] use port (\d+)/.exec(shown)?.[1] ?? "?"
      const file = /Files that you changed, the last one last\\n- (\S+?)\\n/.exec(shown)?.[1] ?? "?"
      return { text: `In step 5 I chose port ${port}, which ${file} explains.` }
    },
  })
  harness = await openHarness({
    model: windowed.model,
    tools: [...builtInTools, look],
    config: { models: { main: scripted, light: scripted } },
  })
  const prompt = "Look at every place. At the end, say which port you chose in step 5, and where that is written."
  const id = await harness.start({ prompt, allowed_tools: ["Look", "Write", "TodoWrite"], max_steps: 250 })
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: firstSteps })
  await harness.client.send({ sessionId: id, text: "Continue.", type: "message", actor: { by: "mia", via: "cli" } })
  expect(await harness.client.wait(id)).toMatchObject({
    outcome: "completed",
    steps_taken: steps - firstSteps,
    final_message: "In step 5 I chose port 4711, which decision.md explains.",
  })
  const summaries = (await harness.client.messages(id)).filter(
    ({ message }) => message.role === "user" && message.compaction?.kind === "summary",
  )
  expect(summaries.length).toBeGreaterThanOrEqual(3)
  expect(JSON.stringify(windowed.turns.at(-1)?.messages)).not.toContain("The port is 4711.")
})
