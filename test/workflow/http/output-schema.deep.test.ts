import { afterEach, describe, expect, it } from "vitest"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

let harness: HttpHarness
const open = async (...options: Parameters<typeof openHttpHarness>): Promise<HttpHarness> =>
  (harness = await openHttpHarness(...options))
afterEach(() => harness.close())

const schema = {
  type: "object",
  properties: { version: { type: "string", pattern: "^\\d+\\.\\d+$" }, notes: { type: "array", minItems: 1 } },
  required: ["version", "notes"],
  additionalProperties: false,
}
const valid = { version: "1.2", notes: ["Search by label"] }
const instruction = { message: "Write the notes.", output_schema: schema }

const outcomeOf = async (id: string) => (await harness.get(`/v1/sessions/${id}/outcome?wait_seconds=50`)).body
const noticesOf = async (id: string): Promise<readonly string[]> =>
  (await harness.client.messages(id)).flatMap(({ message }) =>
    message.role === "tool"
      ? [message.content]
      : message.role === "user" && message.source === "notice"
        ? [message.text]
        : [],
  )

describe("a run with an output schema", () => {
  it("completes only with a text that validates, after it has told the model what is wrong", async () => {
    const prompts: string[] = []
    const replies = ["The notes are done.", '{"version": 1.2}', `\`\`\`json\n${JSON.stringify(valid)}\n\`\`\``]
    const { begin } = await open({
      model: createFakeModel((request, turn) => {
        prompts.push(request.systemPrompt)
        return { text: replies[turn - 1] ?? "" }
      }),
    })
    const id = await begin(instruction)
    expect(await outcomeOf(id)).toMatchObject({
      outcome: "completed",
      result: valid,
      final_message: JSON.stringify(valid),
      steps_taken: 3,
    })
    expect(await noticesOf(id)).toEqual([
      expect.stringContaining("it is not JSON"),
      expect.stringContaining("the result must have required property 'notes'"),
    ])
    expect(new Set(prompts).size).toBe(1)
    expect(prompts[0]).toContain('"required":["version","notes"]')
  })

  it("completes with a result of the finish tool that validates, as a value or as JSON", async () => {
    const { begin } = await open({
      model: createFakeTurns(
        { calls: [["finish", { result: { ...valid, extra: true } }]] },
        { calls: [["finish", { result: JSON.stringify(valid) }]] },
      ),
    })
    const id = await begin({ ...instruction, pause_on_approval: true })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "completed", result: valid, steps_taken: 2 })
    expect((await noticesOf(id))[0]).toContain("must NOT have additional properties")
  })

  it("still pauses for a question where a person answers", async () => {
    const { begin } = await open({
      model: createFakeTurns({ text: "Which version?" }, { calls: [["finish", { result: valid }]] }),
    })
    const id = await begin({ ...instruction, pause_on_approval: true })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "paused", pause_reason: { type: "input_required" } })
    await harness.post(`/v1/sessions/${id}/messages`, { message: "1.2" })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "completed", result: valid })
  })

  it("fails at its step limit if the model never gives a result that validates", async () => {
    const { begin } = await open({ model: createFakeModel(() => ({ text: "Sorry." })) })
    const id = await begin({ ...instruction, max_steps: 3 })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "failed", stop_reason: "max_steps", partial_output: "Sorry." })
  })

  it("is not passed on to sub-agents, and each sub-agent can have its own", async () => {
    const { begin, store } = await open({
      model: createFakeModel((request, turn) => {
        if (request.messages.some((message) => message.role === "user" && message.text === "Count."))
          return { text: turn === 1 ? "three" : "3" }
        if (turn > 1) return { text: JSON.stringify(valid) }
        const task = { task: "Count.", label: "counter", output_schema: { type: "integer" } }
        return { calls: [["sessions_spawn", task]] }
      }),
    })
    const id = await begin(instruction)
    expect(await outcomeOf(id)).toMatchObject({ outcome: "completed", result: valid })
    const [child] = (await store.sessions.list({ parentId: id })).items
    expect(child?.label).toBe("counter")
    expect(await outcomeOf(child?.id ?? "")).toMatchObject({ outcome: "completed", result: 3, steps_taken: 2 })
  })

  it.each([
    [{ $ref: "https://example.com/schema.json" }, "$ref must begin with #"],
    [{ properties: { a: { $dynamicRef: "other.json#a" } } }, "$dynamicRef must begin with #"],
    [{ type: "nonsense" }, "the output schema cannot be used"],
    [{ pattern: "(" }, "the output schema cannot be used"],
    [{ description: "x".repeat(40_000) }, "at most 32 KB"],
    [JSON.parse(`${'{"not":'.repeat(80)}{}${"}".repeat(80)}`), "levels deep"],
  ])("is refused with %j", async (output_schema, text) => {
    const { post, get } = await open({ model: createFakeTurns({ text: "never" }) })
    const { status, body } = await post("/v1/runs", { message: "Go.", cwd: harness.cwd, output_schema })
    expect(status).toBe(400)
    expect(body.error).toContain(text)
    expect((await get("/v1/sessions")).body.items).toEqual([])
  })
})
