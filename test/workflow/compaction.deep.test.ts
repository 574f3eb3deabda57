import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Message } from "../../contracts/message.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import type { Tool } from "../../tools/tool.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import type { FakeReply } from "../helpers/models/fake-model.ts"
import { createWindowedModel } from "../helpers/models/windowed-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const windowTokens = 32_000
const runs = 4
const stepsPerRun = 250
const steps = runs * stepsPerRun
const plansAt = 5
const deletesAt = 10
const delegatesAt = 15
const stopsAt = 245
/** Only stops a hang: on a busy machine, a thousand steps take long. */
const hangGuardMs = 2_700_000
const childPrompt = "Keep watch until you are stopped."

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async (input) => {
    const { at } = z.object({ at: z.number() }).parse(input)
    return { content: `place ${at}: `.padEnd(2_048, "no herons here ") }
  },
}

const destroy: Tool = { ...look, name: "Destroy", description: "Destroys a place.", readOnly: false, idempotent: false }

const replyOf = (turn: number): FakeReply => {
  if (turn % stepsPerRun === 0) return { text: `stretch ${turn / stepsPerRun} is done` }
  if (turn === plansAt)
    return { calls: [["TodoWrite", { todos: [{ content: "count the grey herons", status: "in_progress" }] }]] }
  if (turn === deletesAt) return { calls: [["Destroy", { at: 7 }]] }
  if (turn === delegatesAt) return { calls: [["sessions_spawn", { task: childPrompt, label: "the guard" }]] }
  if (turn === stopsAt) return { calls: [["subagents", { action: "kill", target: "#1" }]] }
  return { calls: [["Look", { at: turn }]] }
}

/** What must be in every prompt between two turns. Calls and texts of the agent count, and so does what replaces them. */
const remembered: readonly (readonly [text: RegExp, fromTurn: number, toTurn: number])[] = [
  [/remember the word bittern/u, 1, steps],
  [/count the grey herons/u, plansAt + 1, steps],
  [/never destroy a nest/u, deletesAt + 1, steps],
  [/the guard/u, delegatesAt + 1, stopsAt],
]

/** A model call that only ends with its run. */
const untilStopped = ({ signal }: ModelRequest): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("the call was stopped"))))

const compactionsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "user" && message.compaction !== undefined ? [message] : []))

describe("a session of a thousand steps with results of two kilobytes, on a model with a context of 32,000 tokens", () => {
  it(
    "completes, keeps its whole transcript, and remembers what it was told in every prompt",
    async () => {
      const windowed = createWindowedModel({ windowTokens, respond: (_, turn) => replyOf(turn) })
      const isOfChild = (request: ModelRequest): boolean => JSON.stringify(request.messages[0]).includes(childPrompt)
      const limited = {
        provider: "scripted",
        script: "unused.yaml",
        maxOutputTokens: 4_000,
        contextTokens: windowTokens,
      } as const
      harness = await openHarness({
        model: {
          respond: (request) =>
            request.purpose === undefined && isOfChild(request)
              ? untilStopped(request)
              : windowed.model.respond(request),
        },
        tools: [look, destroy],
        config: {
          models: { main: limited, light: limited },
          tools: { policy: { Look: "auto", Destroy: "prompt" } },
          timing: { continueAsNewAfterEvents: 1_000 },
        },
      })
      const { client } = harness
      const id = await harness.start({
        prompt: "Look at every place, and remember the word bittern.",
        allowed_tools: ["Look", "Destroy", "TodoWrite", "sessions_spawn", "subagents"],
        auto_approve: false,
        max_steps: stepsPerRun,
      })
      const pause = await client.wait(id)
      expect(pause).toMatchObject({ outcome: "paused" })
      await client.decide({
        sessionId: id,
        all: { action: "reject", content: "never destroy a nest" },
        unlisted: "pending",
        actor,
      })
      for (let run = 1; run <= runs; run += 1) {
        if (run > 1) await client.send({ sessionId: id, text: "Continue.", type: "message", actor })
        expect(await client.wait(id)).toMatchObject({
          outcome: "completed",
          final_message: `stretch ${run} is done`,
          steps_taken: stepsPerRun,
        })
      }
      // The estimate can be too low right after a compaction, until the provider has counted a prompt: it then shortens again.
      expect(windowed.refused).toBeLessThan(steps / 100)
      expect(windowed.turns).toHaveLength(steps)
      for (const [text, fromTurn, toTurn] of remembered)
        for (const { messages } of windowed.turns.slice(fromTurn - 1, toTurn))
          expect(JSON.stringify(messages)).toMatch(text)

      const rows = (await client.messages(id)).map(({ message }) => message)
      const compactions = compactionsOf(rows)
      const looks = rows.flatMap((row) => (row.role === "tool" && row.name === "Look" ? [row.content.length] : []))
      expect(looks).toHaveLength(steps - runs - 4)
      expect(new Set(looks)).toEqual(new Set([2_048]))

      // The beginning of the prompt changes once for each compaction, and never otherwise.
      const changes = windowed.turns.slice(1).filter(({ messages }, index) => {
        const before = windowed.turns[index]?.messages ?? []
        return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before)
      })
      expect(changes).toHaveLength(compactions.length)
      expect(compactions.length).toBeLessThan(steps / 5)
      expect(windowed.summaries.length).toBeGreaterThan(0)
    },
    hangGuardMs,
  )
})
