import { readFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { lastAnswerNotice } from "../../../../domain/run/last-answer.ts"
import { startedAnswer } from "../../../../domain/delegation/spawn-result.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import type { ModelRequest } from "../../../../models/model-provider.ts"
import { scriptedProvider } from "../../../../models/scripted/scripted.ts"
import {
  createModelRequest,
  modelSpec,
  readTool,
  createToolResult,
  createUserMessage,
} from "../../../helpers/providers/model-request.ts"
import { writeScript } from "../../../helpers/providers/write-script.ts"

async function play(yaml: string, fields: Partial<ModelRequest> = {}) {
  await using script = await writeScript(yaml)
  const spec = modelSpec({ provider: "scripted", model: "demo", script: script.file })
  const request = createModelRequest({ apiKey: undefined, spec, ...fields })
  return { message: await scriptedProvider.respond(request), request }
}

const mismatchOf = async (yaml: string, fields: Partial<ModelRequest> = {}): Promise<string> => {
  const error = await play(yaml, fields).then(
    () => undefined,
    (thrown: unknown) => classifyModelError(thrown, { spec: modelSpec({ provider: "scripted" }), apiKey: undefined }),
  )
  expect(error?.kind).toBe("script_mismatch")
  return error?.message ?? ""
}

const answered = (text: string): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "demo",
  parts: [{ type: "text", text }],
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  stop: "end_turn",
})

const threeTurns = "turns:\n  - reply: { text: one }\n  - repeat: 2\n    reply: { text: more }\n"

describe("scripted provider", () => {
  it("answers a run that has used its steps with its report, which does not count as a turn", async () => {
    const asked = { ...createUserMessage(lastAnswerNotice), source: "notice" as const }
    const messages = [createUserMessage("go"), answered("one"), asked]
    const withReport = `report: { text: half done, tool_calls: [{ name: LS }] }\n${threeTurns}`
    const last = { messages, withoutCalls: true }
    expect((await play(withReport, last)).message.parts).toEqual([{ type: "text", text: "half done" }])
    expect((await play(threeTurns, last)).message.parts).toEqual([])
    const continued = [...messages, answered("half done"), createUserMessage("continue")]
    const next = "turns:\n  - reply: { text: one }\n  - reply: { text: two }\n  - reply: { text: three }\n"
    expect((await play(next, { messages: continued })).message.parts).toEqual([{ type: "text", text: "two" }])
  })

  it("counts the turns that a summary replaces, and writes the summary that the script has", async () => {
    const hidden = [createUserMessage("go"), answered("one")]
    const messages = [createUserMessage("[summary] go"), answered("more")]
    const yaml = `
conversations:
  - when: { user: ^go }
    summary: { text: nothing yet }
    turns:
      - reply: { text: one }
      - reply: { text: two }
      - reply: { text: three }
`
    expect((await play(yaml, { hidden, messages })).message.parts).toEqual([{ type: "text", text: "three" }])
    const summary = await play(yaml, { hidden, messages: [createUserMessage("Summarise.")], purpose: "summary" })
    expect(summary.message.parts).toEqual([{ type: "text", text: "nothing yet" }])
  })

  it("has a text for a summary that no script foresees", async () => {
    const { message } = await play(threeTurns, { messages: [createUserMessage("Summarise.")], purpose: "summary" })
    expect(message.parts).toEqual([{ type: "text", text: "The earlier steps of this script." }])
  })

  it("gives an answer for any turn where it fits, and continues with its turns otherwise", async () => {
    const yaml = `
interjections:
  - last: { role: user, contains: halt }
    reply: { text: halted }
turns:
  - reply: { text: one }
  - reply: { text: two }
`
    const steered = [createUserMessage("go"), answered("one"), createUserMessage("please halt now")]
    const plain = [createUserMessage("go"), answered("one"), createUserMessage("continue")]
    expect((await play(yaml, { messages: steered })).message.parts).toEqual([{ type: "text", text: "halted" }])
    expect((await play(yaml, { messages: plain })).message.parts).toEqual([{ type: "text", text: "two" }])
  })

  it("answers with text, reasoning, calls and usage as written", async () => {
    const { message, request } = await play(`
turns:
  - reply:
      reasoning: hm
      text: Reading.
      tool_calls:
        - { name: Read, arguments: { file_path: a.txt } }
        - { name: Read, id: mine }
        - { name: Read, arguments: "{oops" }
      usage: { input_tokens: 5, output_tokens: 6, cache_read_tokens: 7 }
`)
    expect(message).toEqual({
      role: "assistant",
      provider: "scripted",
      model: "demo",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "Reading." },
        { type: "tool_call", call: { id: "call_1_1", name: "Read", arguments: { file_path: "a.txt" } } },
        { type: "tool_call", call: { id: "mine", name: "Read", arguments: {} } },
        { type: "tool_call", call: { id: "call_1_3", name: "Read", arguments: null, raw_arguments: "{oops" } },
      ],
      usage: { inputTokens: 5, outputTokens: 6, cacheReadTokens: 7, cacheWriteTokens: 0, reasoningTokens: 0 },
      stop: "tool_calls",
    })
    expect(request.deltas).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Reading." },
    ])
  })

  it("finds its turn from the transcript alone, so that a retry or another worker gets the same one", async () => {
    const messages = [createUserMessage("go"), answered("one"), createUserMessage("on")]
    expect((await play(threeTurns, { messages })).message.parts).toEqual([{ type: "text", text: "more" }])
    expect((await play(threeTurns, { messages })).message.parts).toEqual([{ type: "text", text: "more" }])
    expect((await play(threeTurns)).message.parts).toEqual([{ type: "text", text: "one" }])
    const byAnother = [createUserMessage("go"), { ...answered("x"), model: "another" }, createUserMessage("on")]
    expect((await play(threeTurns, { messages: byAnother })).message.parts).toEqual([{ type: "text", text: "one" }])
  })

  it("fails with a clear error if the script has no further turn", async () => {
    const messages = [createUserMessage("go"), answered("1"), answered("2"), answered("3")]
    expect(await mismatchOf(threeTurns, { messages })).toMatch(/script\.yaml, conversation 1, turn 4: .*only 3 turns/)
  })

  it("uses the first conversation that matches the first user message and the system prompt", async () => {
    const yaml = `
conversations:
  - when: { user: "^summarise" }
    turns: [{ reply: { text: summary } }]
  - name: explorer
    when: { system: /EXPLORER/i, user: find }
    turns: [{ reply: { text: found } }]
  - turns: [{ reply: { text: parent } }]
`
    const textFor = async (user: string, systemPrompt: string) =>
      (await play(yaml, { messages: [createUserMessage(user), createUserMessage("later")], systemPrompt })).message
        .parts
    expect(await textFor("summarise it", "")).toEqual([{ type: "text", text: "summary" }])
    expect(await textFor("find it", "You are an explorer.")).toEqual([{ type: "text", text: "found" }])
    expect(await textFor("find it", "You are a planner.")).toEqual([{ type: "text", text: "parent" }])
    const none = `conversations: [{ when: { user: never }, turns: [{ reply: {} }] }]`
    expect(await mismatchOf(none)).toContain('matches the first user message "Read a.txt."')
  })

  it.each([
    ["{ last: { role: tool } }", 'expected the last message {"role":"tool"}, but it was user: "Read a.txt."'],
    ["{ last: { contains: b.txt } }", "expected the last message"],
    ["{ last: { matches: ^Write } }", '"matches":"/^Write/"'],
    ["{ tool_results: [{ contains: hello }] }", "but the results were: none"],
    ["{ tools: { include: [Read, Bash] } }", "expected tool Bash to be offered, but offered were: Read"],
    ["{ tools: { exclude: [Read] } }", "expected no tool Read"],
    ["{ messages: 2 }", "expected 2 messages, but there were 1"],
    ["{ system: { contains: reckless } }", "You are a careful agent."],
  ])("fails with a clear error if %s is not met", async (expectation, said) => {
    const text = await mismatchOf(`turns: [{ expect: ${expectation}, reply: {} }]`)
    expect(text).toContain(said)
    expect(text).toContain("turn 1")
  })

  it("answers if every expectation is met", async () => {
    const yaml = `
turns:
  - reply: {}
  - expect:
      last: { role: tool, matches: "^wor" }
      tool_results:
        - { name: Read, contains: hello }
        - { name: Read, outcome: error, matches: /WORLD/i }
      tools: { include: [Read], exclude: [Bash] }
      messages: 4
      system: { matches: careful }
    reply: { text: fine, stop: max_tokens }
`
    const messages = [
      createUserMessage("go"),
      answered("x"),
      createToolResult("a", "hello"),
      createToolResult("b", "world", { outcome: "error" }),
    ]
    const { message } = await play(yaml, { messages, tools: [readTool] })
    expect(message).toMatchObject({ parts: [{ type: "text", text: "fine" }], stop: "max_tokens" })
  })

  it("inserts values from the last results and the last user message", async () => {
    const yaml = `
turns:
  - reply: {}
  - reply:
      text: "took {{result:task_id: (\\\\w{6})}} of {{user:by (\\\\w+)}}"
      tool_calls:
        - { name: wait_for_tasks, arguments: { task_ids: ["{{result:task_id: (\\\\w+)}}"], n: 1 } }
`
    const messages = [
      createUserMessage("by Ada"),
      answered("x"),
      createToolResult("a", "started"),
      createToolResult("b", "task_id: abc123"),
    ]
    const { message } = await play(yaml, { messages })
    expect(message.parts).toMatchObject([
      { text: "took abc123 of Ada" },
      { call: { arguments: { task_ids: ["abc123"], n: 1 } } },
    ])
    expect(await mismatchOf('turns: [{ reply: { text: "{{result:no (x)}}" } }]')).toContain("/no (x)/")
    expect(await mismatchOf('turns: [{ reply: { text: "{{result:(}}" } }]')).toContain("not a regular expression")
  })

  it("waits for the task that was started, as the documentation shows it", async () => {
    const page = await readFile(path.join(import.meta.dirname, "../../../../docs/scripted-models.md"), "utf8")
    const [, example = ""] = /```yaml\n(tool_calls:\n {2}- name: wait_for_tasks\n[^`]*)```/.exec(page) ?? []
    const child = { sessionId: "5k492x", runId: "run_1", childSessionKey: "agent:general:subagent:5k492x" }
    const started = { child, title: "Count", model: "main", tools: ["Read"], sandboxed: false }
    const { text } = startedAnswer("dynamic_subagent_task", started, { kind: "cli" })
    const turn = `turns:\n  - reply: {}\n  - reply:\n${example.replaceAll(/^/gm, "      ").trimEnd()}\n`
    const messages = [createUserMessage("go"), answered("x"), createToolResult("a", text)]
    const { message } = await play(turn, { messages })
    expect(message.parts).toMatchObject([{ call: { name: "wait_for_tasks", arguments: { task_ids: ["5k492x"] } } }])
  })

  it("streams in pieces that make up the text, and splits no character", async () => {
    const { request } = await play('turns: [{ reply: { text: "ab😀de", stream_chunk: 2 } }]')
    expect(request.deltas.map((delta) => delta.text)).toEqual(["ab", "😀d", "e"])
  })

  it("fails as often as written, classified like a real failure, and then answers", async () => {
    const yaml = "turns: [{ reply: { text: ok, error: { status: 429, retry_after: 3, times: 2 } } }]"
    const spec = modelSpec({ provider: "scripted" })
    for (const attempt of [1, 2]) {
      const thrown = await play(yaml, { attempt }).catch((error: unknown) => error)
      expect(classifyModelError(thrown, { spec, apiKey: undefined })).toMatchObject({
        kind: "retry",
        status: 429,
        retryAfterMs: 3000,
      })
    }
    expect((await play(yaml, { attempt: 3 })).message.parts).toEqual([{ type: "text", text: "ok" }])
  })

  it.each([
    ["connection", "retry"],
    ["500", "retry"],
    ["401", "auth"],
    ["404", "not_found"],
    ["400", "bad_request"],
  ])("fails with status %s as %s", async (status, kind) => {
    const thrown = await play(`turns: [{ reply: { error: { status: ${status} } } }]`).catch((error: unknown) => error)
    expect(classifyModelError(thrown, { spec: modelSpec(), apiKey: undefined }).kind).toBe(kind)
  })

  it.each([
    ["before the answer", "delay_ms: 3600000"],
    ["between pieces", "stream_chunk: 1, chunk_delay_ms: 60000"],
  ])("stops waiting %s on an abort", async (_where, waiting) => {
    const controller = new AbortController()
    const outcome = play(`turns: [{ reply: { text: slow, ${waiting} } }]`, { signal: controller.signal }).catch(
      (error: unknown) => error,
    )
    controller.abort()
    const error = classifyModelError(await outcome, { spec: modelSpec(), apiKey: undefined })
    expect(error.kind).toBe("aborted")
  })

  it("names the wrong setting if there is no script", async () => {
    const without = createModelRequest({ spec: modelSpec({ provider: "scripted" }) })
    await expect(scriptedProvider.respond(without)).rejects.toMatchObject({ code: "invalid_config" })
    const missing = createModelRequest({ spec: modelSpec({ provider: "scripted", script: "/nowhere/x.yaml" }) })
    await expect(scriptedProvider.respond(missing)).rejects.toThrow("/nowhere/x.yaml")
  })
})
