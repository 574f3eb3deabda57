import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { cassetteSchema, maxCassetteBytes } from "../../../../contracts/config/cassette.ts"
import type { Message } from "../../../../contracts/message.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { parseScript } from "../../../../models/scripted/parse-script.ts"
import { recordCassette } from "../../../../worker/replay/record-cassette.ts"
import { recordTest } from "../../../../worker/replay/record-test.ts"
import { replaySession } from "../../../../worker/replay/replay-session.ts"
import { answered, recordedSession, resulted, said } from "./recorded-session.ts"

const redact = createRedact(["s3cret-value"])

const written: readonly Message[] = [
  said("Write it."),
  answered([["c1", "Write", { file_path: "a.md", content: "x" }]], "May I?"),
  resulted("c1", "Write", "TOOL_CALL_REJECTED", "rejected"),
  answered([], "Then not."),
]

describe("recordCassette", () => {
  it("records answers without secrets and without what only the provider understands", async () => {
    const thinking: Message = {
      ...(answered([], "The key is s3cret-value.") as Extract<Message, { role: "assistant" }>),
      parts: [
        { type: "opaque", opaque: { signature: "sig" } },
        { type: "reasoning", text: "hm", opaque: { signature: "sig" } },
        { type: "text", text: "The key is s3cret-value." },
      ],
    }
    const { store } = await recordedSession([said("Which key? s3cret-value"), thinking])
    const text = await recordCassette(store, "s1", redact)
    expect(text).not.toMatch(/s3cret-value|sig/)
    const { conversations } = cassetteSchema.parse(JSON.parse(text))
    expect(conversations).toMatchObject([
      {
        task_id: "s1",
        messages: [{ shows: "instruction: Which key? [redacted]" }, {}],
        turns: [{ reply: { stop: "end_turn" } }],
      },
    ])
    expect(conversations[0]?.turns[0]?.reply.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "The key is [redacted]." },
    ])
  })

  it("contains neither results of tools nor the system prompt", async () => {
    const { store } = await recordedSession([
      said("Read it."),
      answered([["c1", "Read", { file_path: "a.md" }]]),
      resulted("c1", "Read", "the balance sheet"),
      answered([], "Done."),
    ])
    const text = await recordCassette(store, "s1", redact)
    expect(text).not.toMatch(/balance|working directory/i)
    const [conversation] = cassetteSchema.parse(JSON.parse(text)).conversations
    expect(conversation?.messages.map(({ shows }) => shows)).toEqual([
      ...["instruction: Read it.", "answer: Read()", "Read ok", "answer: Done."],
    ])
  })

  it.each<["strict" | "lenient", unknown]>([
    ["strict", expect.stringContaining('message 1 was "instruction: Write it."')],
    ["lenient", "same"],
  ])("is repeated by a %s model, which compares another request with it", async (mode, withOther) => {
    const config = { models: { tape: { provider: "cassette", file: "tape.json", mode } } } as const
    const place = await recordedSession(written, { config })
    const tape = await recordCassette(place.store, "s1", redact)
    await writeFile(join(place.cwd, "tape.json"), tape)
    const request = { sessionId: "s1", model: "tape" }
    expect(await replaySession(place, request)).toMatchObject({ same: true, sameFinalMessage: true })

    const other = await recordedSession([said("Write that."), ...written.slice(1)], { config })
    await writeFile(join(other.cwd, "tape.json"), tape)
    const seen = await replaySession(other, request).then(
      ({ same }) => (same ? "same" : "other"),
      (error: unknown) => String(error),
    )
    expect(seen).toEqual(withOther)
  })

  it.each(["strict", "lenient"] as const)("is repeated in another copy of the project by a %s model", async (mode) => {
    const config = { models: { tape: { provider: "cassette", file: "tape.json", mode } } } as const
    const reading = (cwd: string): readonly Message[] => [
      said(`Read ${cwd}/a.txt.`),
      answered([
        ["c1", "Bash", { command: `cd "${cwd}"\ncat ${cwd}/a.txt src${cwd}/a.txt ${cwd}-old/a.txt # {{cwd}}` }],
      ]),
      resulted("c1", "Bash", `in ${cwd}: hello`),
      answered([], `${cwd}/a.txt says hello, and {{\\cwd}} is a placeholder.`),
    ]
    const { store, cwd } = await recordedSession(reading, { config })
    const tape = await recordCassette(store, "s1", redact)
    expect(tape).toContain("cat {{cwd}}/a.txt")
    expect(tape.replaceAll(`src${cwd}`, "")).not.toContain(`${cwd}/`)

    /** The same with another directory, but not in paths of other files. */
    const moved = (copy: string) =>
      reading(copy).map((message) => {
        const text = JSON.stringify(message).replaceAll(`src${copy}`, `src${cwd}`)
        return JSON.parse(text.replaceAll(`${copy}-old`, `${cwd}-old`))
      })
    const copy = await recordedSession(moved, { config })
    await writeFile(join(copy.cwd, "tape.json"), tape)
    expect(await replaySession(copy, { sessionId: "s1", model: "tape" })).toMatchObject({
      ...{ same: true, sameFinalMessage: true },
      replayed: { steps: 2 },
    })
  })

  it("refuses a recording that is too large", async () => {
    const { store } = await recordedSession([said("Go."), answered([], "x".repeat(maxCassetteBytes))])
    await expect(recordCassette(store, "s1", redact)).rejects.toMatchObject({ code: "payload_too_large" })
  })
})

const testOf = (
  { store, cwd }: Pick<Awaited<ReturnType<typeof recordedSession>>, "store" | "cwd">,
  projectRoot = cwd,
) => recordTest(store, "s1", { project: "..", projectRoot, redact })

describe("recordTest", () => {
  it("writes a conversation that scripted models accept, a configuration, and a test with the decisions", async () => {
    const files = await testOf(await recordedSession(written))
    expect(Object.keys(files)).toEqual(["task-s1.conversation.yaml", "task-s1.config.yaml", "task-s1.test.ts"])
    const [conversation] = parseScript(files["task-s1.conversation.yaml"] ?? "", "x.yaml").conversations
    expect(conversation?.turns).toMatchObject([
      { reply: { text: "May I?", tool_calls: [{ id: "c1", name: "Write" }] } },
      { expect: { tool_results: [{ name: "Write", outcome: "rejected" }] }, reply: { text: "Then not." } },
    ])
    expect(parse(files["task-s1.config.yaml"] ?? "")).toMatchObject({
      models: { recorded: { provider: "scripted", script: "task-s1.conversation.yaml" } },
      tools: { never: "pause" },
    })
    expect(files["task-s1.test.ts"]).toMatch(/"c1": \{\n\s+"action": "reject"/)
  })

  it.each<[string, readonly Message[], RegExp]>([
    [
      "delegates",
      [said("Go."), answered([["t", "Task", { prompt: "x" }]]), resulted("t", "Task", "ok"), answered([], "Ok.")],
      /it calls Task/,
    ],
    [
      "was steered",
      [
        said("Go."),
        answered([["c", "LS", {}]]),
        resulted("c", "LS", "a"),
        said("Stop.", "steering"),
        answered([], "Ok."),
      ],
      /another message while it worked/,
    ],
    ["contains a template", [said("Go."), answered([], "{{result:x}}")], /a template of scripted models/],
  ])("refuses a task that %s", async (_, messages, reason) => {
    await expect(testOf(await recordedSession(messages))).rejects.toThrow(reason)
  })

  it("refuses a task without built-in tools, which a test could not start", async () => {
    const place = await recordedSession([said("Go."), answered([], "Ok.")], {
      config: { mcpServers: { docs: { command: "docs" } } },
      request: { allowed_tools: ["mcp__docs__*"] },
    })
    await expect(testOf(place)).rejects.toThrow("it has no built-in tool")
  })

  it("refuses a task that has not completed", async () => {
    const place = await recordedSession(written, { stopReason: "max_steps" })
    await expect(testOf(place)).rejects.toThrow("it has not completed")
  })

  const writing =
    (name: string, args: (cwd: string) => Record<string, unknown>) =>
    (cwd: string): readonly Message[] => [
      said("Go."),
      answered([["c", name, args(cwd)]]),
      resulted("c", name, "ok"),
      answered([], `It is in ${cwd}.`),
    ]

  it("refuses a call that contains the working directory, since the test runs in a copy", async () => {
    const naming = await recordedSession(writing("Bash", (cwd) => ({ command: `ls "${cwd}/a"` })))
    await expect(testOf(naming)).rejects.toThrow(
      /^task s1 cannot become a test: a call of Bash contains its working directory, .*; use "adjutant export s1 --cassette/,
    )
    const telling = await recordedSession(writing("finish", (cwd) => ({ result: `See ${cwd}/a.` })))
    expect(Object.keys(await testOf(telling))).toHaveLength(3)
  })

  it("refuses a task whose working directory is not the folder of the project", async () => {
    const place = await recordedSession(written)
    await expect(testOf(place, tmpdir())).rejects.toThrow(`its working directory is ${place.cwd}, and a test runs`)
  })
})
