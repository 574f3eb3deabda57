import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { ModelError } from "../../models/model-error.ts"
import type { Store } from "../../store/store.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../helpers/models/fake-model.ts"
import { type Harness, type HarnessOptions, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

const open = async (options: HarnessOptions): Promise<Harness> => {
  harness = await openHarness(options)
  return harness
}

afterEach(() => harness.close())

describe("a run", () => {
  it("completes with the model's text", async () => {
    const { client, start, handle } = await open({ model: createFakeTurns({ text: "All done." }) })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "All done.", steps_taken: 1 })
    expect(await handle(id).result()).toEqual({ session_id: id, status: "completed" })
    expect(await client.info(id)).toMatchObject({ status: "completed", stop_reason: "completed", steps_taken: 1 })
  })

  it("runs tools in proposal order and shows the model their results", async () => {
    const seen: string[] = []
    const { client, start, cwd } = await open({
      model: createFakeModel((request, turn) => {
        const last = request.messages.at(-1)
        if (last?.role === "tool") seen.push(`${last.name}:${last.outcome}`)
        return turn === 1
          ? {
              calls: [
                ["Write", { file_path: "a.txt", content: "one\n" }],
                ["Read", { file_path: "a.txt" }],
              ],
            }
          : { text: "Written." }
      }),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 2 })
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n")
    expect(seen).toEqual(["Read:ok"])
    const rows = await client.messages(id)
    expect(rows.map(({ message }) => message.role)).toEqual(["user", "assistant", "tool", "tool", "assistant"])
  })

  it("answers unknown tools, invalid arguments and repeated failures with data, and does not crash", async () => {
    const { client, start } = await open({
      model: createFakeTurns(
        {
          calls: [
            ["Raed", { file_path: "x" }],
            ["Read", null],
            ["Read", { path: 3 }],
          ],
        },
        { calls: [["Read", { file_path: "missing.txt" }]] },
        { text: "I give up." },
      ),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    const results = (await client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))
    expect(results.map(({ outcome }) => outcome)).toEqual(["error", "error", "error", "error"])
    expect(results[0]?.content).toContain("did you mean Read")
  })

  it("ends at its step limit with one answer more, which may not call anything and is the partial output", async () => {
    const requests: { readonly last: string; readonly tools: number; readonly withoutCalls: boolean | undefined }[] = []
    const { client, start, cwd } = await open({
      model: createFakeModel(({ messages, tools, withoutCalls }, turn) => {
        const last = messages.at(-1)
        requests.push({ last: last?.role === "user" ? last.text : "", tools: tools.length, withoutCalls })
        return { text: `step ${turn}`, calls: [["Write", { file_path: `${turn}.txt`, content: "" }]] }
      }),
    })
    const id = await start({ max_steps: 10, auto_approve: true })
    expect(await client.wait(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "max_steps",
      error: { message: expect.stringContaining("the run reached its limit of 10 steps") },
      partial_output: "step 11",
      steps_taken: 10,
    })
    expect(await client.info(id)).toMatchObject({ status: "failed", steps_taken: 10 })
    expect(requests.map(({ withoutCalls }) => withoutCalls)).toEqual([
      ...Array.from({ length: 10 }, () => undefined),
      true,
    ])
    expect(new Set(requests.map(({ tools }) => tools)).size).toBe(1)
    expect(requests.slice(-2).map(({ last }) => last)).toEqual([
      expect.stringContaining("1 step of 10 left"),
      expect.stringContaining("All steps of this run are used up"),
    ])
    expect(requests.filter(({ last }) => last.includes("left, this one included"))).toHaveLength(1)
    expect((await readdir(cwd)).toSorted()).toContain("10.txt")
    expect(await readdir(cwd)).not.toContain("11.txt")
    const rows = await client.messages(id)
    expect(rows.at(-1)?.message).toMatchObject({
      role: "tool",
      outcome: "error",
      content: expect.stringMatching(/^not run: all steps/),
    })
  })

  it("ends at its step limit all the same if its model gives no last answer", async () => {
    const { client, start } = await open({
      model: createFakeModel(({ withoutCalls }, turn) => {
        if (withoutCalls === true) throw new ModelError("bad_request", "tool_choice is not supported")
        return { text: `step ${turn}`, calls: [["LS", {}]] }
      }),
    })
    const id = await start({ max_steps: 2 })
    expect(await client.wait(id)).toMatchObject({
      ...{ outcome: "failed", stop_reason: "max_steps", partial_output: "step 2", steps_taken: 2 },
    })
  })

  it("times out while it runs, with its own status", async () => {
    const { client, start } = await open({
      model: createFakeModel(
        (request) =>
          new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted")))),
      ),
    })
    const id = await start({ timeout_seconds: 1 })
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "timeout" })
    expect(await client.info(id)).toMatchObject({ status: "timed_out" })
  })

  it("is cancelled during a model call, stays cancelled, and can be read", async () => {
    let asked: () => void = () => undefined
    const called = new Promise<void>((resolve) => (asked = resolve))
    const { client, start, handle } = await open({
      model: createFakeModel((request) => {
        request.onDelta({ type: "text", text: "half a thou" })
        asked()
        return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
      }),
    })
    const id = await start()
    await called
    expect(await client.cancel(id, { by: "test", via: "cli" })).toEqual({ status: "cancelled" })
    expect(await client.wait(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "cancelled",
      partial_output: "half a thou",
    })
    await eventually(async () => (await handle(id).describe()).status.name === "CANCELLED")
    expect(await client.cancel(id, { by: "test", via: "cli" })).toEqual({ status: "cancelled" })
  })

  it("asks again after an empty answer and continues a truncated one", async () => {
    const prompts: string[] = []
    const { client, start } = await open({
      model: createFakeModel((request, turn) => {
        const last = request.messages.at(-1)
        if (last?.role === "user") prompts.push(last.source)
        if (turn === 1) return { text: "" }
        if (turn === 2) return { text: "one two ", stop: "max_tokens" }
        return { text: "three" }
      }),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "one two three" })
    expect(prompts).toContain("notice")
  })

  it.each(["refusal", "max_tokens", "context_exceeded", "unknown"] as const)(
    "runs no call of answers that end with %s, and says why",
    async (stop) => {
      const seen: string[] = []
      const { client, start, cwd } = await open({
        model: createFakeModel((request, turn) => {
          seen.push(...request.messages.flatMap((message) => (message.role === "tool" ? [message.content] : [])))
          const file = `x${turn}.txt`
          return {
            text: "Writing.",
            calls: [
              ["Write", { file_path: file, content: "x" }],
              ["finish", { result: "done" }],
            ],
            stop,
          }
        }),
      })
      const id = await start()
      const document = await client.wait(id)
      expect(document).toMatchObject({ outcome: "failed", stop_reason: stop === "refusal" ? "refusal" : "error" })
      expect(await readdir(cwd)).toEqual([])
      const named = {
        refusal: "refused",
        max_tokens: "maxOutputTokens",
        context_exceeded: "cut off",
        unknown: "normalEnds",
      }
      expect(JSON.stringify(document)).toContain(named[stop])
      const results = (await client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))
      // Answers with an unknown end are not taken into the transcript.
      expect(results.length > 0).toBe(stop !== "unknown")
      for (const result of results)
        expect(result).toMatchObject({
          outcome: "error",
          executed: false,
          content: expect.stringMatching(/^not run: /),
        })
      expect(stop === "max_tokens" ? seen[0] : "cut at 5 output tokens").toContain("cut at 5 output tokens")
    },
  )

  it("asks again without a word to the model when an answer with calls ends for an unknown reason", async () => {
    const asked: number[] = []
    const { client, start, cwd } = await open({
      model: createFakeModel((request) => {
        asked.push(request.messages.length)
        if (asked.length === 1) return { calls: [["Write", { file_path: "x.txt", content: "x" }]], stop: "unknown" }
        return { text: "Done.", stop: "unknown" }
      }),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "Done.",
      steps_taken: 1,
      usage: { output_tokens: 10 },
    })
    expect(asked).toEqual([1, 1])
    expect(await readdir(cwd)).toEqual([])
  })

  it("fails at once on a permanent error, and says what to check", async () => {
    const { client, start } = await open({
      model: createFakeModel(() => {
        throw Object.assign(new Error("401 invalid x-api-key"), { status: 401, headers: new Headers() })
      }),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "error" })
  })

  it("starts a new run in the same session for a message after the end", async () => {
    const { client, start } = await open({
      model: createFakeModel((request, turn) => ({ text: `answer ${turn} of ${request.messages.length} messages` })),
    })
    const id = await start()
    await client.wait(id)
    const sent = await client.send({ sessionId: id, text: "And now?", type: "message", actor })
    const document = await client.wait(id)
    expect(document).toMatchObject({ outcome: "completed", final_message: "answer 2 of 3 messages", steps_taken: 1 })
    expect(await client.info(id)).toMatchObject({ run_id: sent.runId, steps_taken: 2 })
  })
  it("whose settings cannot be read fails once, and a later message starts another one", async () => {
    let isGone = true
    const { client, store, start, handle } = await open({
      model: createFakeTurns({ text: "Heard." }),
      workerStore: (own): Store => ({
        ...own,
        snapshots: { ...own.snapshots, get: async (hash) => (isGone ? undefined : await own.snapshots.get(hash)) },
      }),
    })
    const id = await start({ prompt: "First." })
    await eventually(async () => (await handle(id).describe()).status.name === "FAILED")
    expect(await store.runs.list(id)).toMatchObject([{ status: "failed", error: { code: expect.any(String) } }])
    isGone = false
    await client.send({ sessionId: id, text: "Second.", type: "message", actor })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Heard." })
    expect(await store.runs.list(id)).toHaveLength(2)
  })
})
