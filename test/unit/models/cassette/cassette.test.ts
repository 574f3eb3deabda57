import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Cassette, type CassetteMode, maxCassetteBytes } from "../../../../contracts/config/cassette.ts"
import type { Message } from "../../../../contracts/message.ts"
import { changedSurroundings, surroundingsBlock, surroundingsLines } from "../../../../domain/prompts/surroundings.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { cassetteProvider } from "../../../../models/cassette/cassette.ts"
import { requestPrint } from "../../../../models/cassette/request-print.ts"
import type { ModelRequest } from "../../../../models/model-provider.ts"
import {
  createAssistantMessage,
  createModelRequest,
  createToolResult,
  createUserMessage,
  modelSpec,
  readTool,
} from "../../../helpers/providers/model-request.ts"

const promptIn = (cwd: string): string => `You are careful.\n\nWorking directory: ${JSON.stringify(cwd)}\nPaths…`

const callOf = (path: string, id = "c1") =>
  createAssistantMessage([{ type: "tool_call", call: { id, name: "Read", arguments: { file_path: path } } }], {
    stop: "tool_calls",
  })
const answer = createAssistantMessage([
  { type: "reasoning", text: "hm" },
  { type: "text", text: "Done." },
])

/** A task that reads one file. */
const transcript = (cwd: string): readonly Message[] => [
  createUserMessage("Read a.txt."),
  callOf(`${cwd}/a.txt`),
  createToolResult("c1", `${cwd}/a.txt says hello`),
  answer,
]

const cassetteIn = (cwd: string, messages = transcript(cwd)): Cassette => {
  const print = requestPrint({ systemPrompt: promptIn(cwd), tools: [readTool], messages })
  return {
    adjutant_cassette: 1,
    recorded_at: "2026-11-26T00:00:00.000Z",
    conversations: [
      {
        task_id: "abc123",
        agent: "general",
        messages: [...print.messages],
        turns: messages.flatMap((message, index) =>
          message.role === "assistant"
            ? [
                {
                  system: print.system,
                  tools: print.tools,
                  messages: requestPrint({ systemPrompt: promptIn(cwd), tools: [], messages: messages.slice(0, index) })
                    .all,
                  reply: { parts: message.parts, usage: message.usage, stop: message.stop },
                },
              ]
            : [],
        ),
      },
    ],
  }
}

const fileWith = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "adjutant-cassette-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "x.cassette.json")
  writeFileSync(file, text)
  return file
}

const ask = (
  request: Partial<ModelRequest>,
  {
    mode = "strict",
    file = fileWith(JSON.stringify(cassetteIn("/srv/project"))),
  }: { mode?: CassetteMode; file?: string } = {},
) =>
  cassetteProvider.respond(
    createModelRequest({
      spec: modelSpec({ provider: "cassette", model: "cassette", cassette: { file, mode } }),
      systemPrompt: promptIn("/srv/project"),
      messages: transcript("/srv/project").slice(0, 1),
      ...request,
    }),
  )

describe("a strict cassette", () => {
  it("answers an equal request with the recorded answer and usage", async () => {
    expect(await ask({})).toEqual({ ...callOf("/srv/project/a.txt"), provider: "cassette", model: "cassette" })
    const deltas: string[] = []
    const onDelta: ModelRequest["onDelta"] = ({ type, text }) => deltas.push(`${type} ${text}`)
    const last = await ask({ messages: transcript("/srv/project").slice(0, 3), onDelta })
    expect(last).toEqual({ ...answer, provider: "cassette", model: "cassette" })
    expect(deltas).toEqual(["reasoning hm", "text Done."])
  })

  it("does not count the facts about the place, nor the line before an instruction that says which have changed", async () => {
    const place = { platform: "Linux", directory: "/srv/project" }
    const lines = surroundingsLines({ ...place, date: "2026-11-29" })
    const later = surroundingsLines({ ...place, date: "2026-11-30" })
    const print = (facts: readonly string[], text: string) =>
      requestPrint({
        systemPrompt: `ROLE\n\n${surroundingsBlock(facts)}`,
        tools: [],
        messages: [createUserMessage(text)],
      })
    const recorded = print(lines, "Continue.")
    expect(print(later, `${changedSurroundings(lines, later)}\n\nContinue.`)).toEqual(recorded)
    expect(print(later, "Stop.").all).not.toBe(recorded.all)
  })

  it("does not count the working directory, ids of calls, thinking and tools of others", async () => {
    const [instruction, call] = transcript("/srv/copy")
    const other = callOf("/srv/copy/a.txt", "other")
    const messages: readonly Message[] = [
      instruction ?? call!,
      { ...other, provider: "cassette", parts: [{ type: "reasoning", text: "else" }, ...other.parts] },
      createToolResult("other", "/srv/copy/a.txt says hello"),
    ]
    const tools = [readTool, { ...readTool, name: "mcp__docs__search" }, { ...readTool, name: "RollDice" }]
    expect(await ask({ systemPrompt: promptIn("/srv/copy"), messages, tools })).toMatchObject({ stop: "end_turn" })
  })

  it.each<[string, Partial<ModelRequest>, RegExp]>([
    [
      "an instruction",
      { messages: [createUserMessage("Read b.txt.")] },
      /turn 1: message 1 was "instruction: Read a\.txt\." and is "instruction: Read b\.txt\."/,
    ],
    [
      "a tool result",
      {
        messages: [
          ...transcript("/srv/project").slice(0, 2),
          createToolResult("c1", "no such file", { outcome: "error" }),
        ],
      },
      /turn 2: message 3 was "Read ok" and is "Read error"/,
    ],
    [
      "the text of a tool result",
      { messages: [...transcript("/srv/project").slice(0, 2), createToolResult("c1", "says goodbye")] },
      /turn 2: message 3 "Read ok" has another text/,
    ],
    [
      "a system prompt",
      { systemPrompt: `${promptIn("/srv/project")} More.` },
      /turn 1: the system prompt is another one/,
    ],
    ["tools", { tools: [] }, /turn 1: the tools were "Read" and are ""/],
    ["a description of a tool", { tools: [{ ...readTool, description: "Else." }] }, /turn 1: the tools were/],
    [
      "a call too many",
      { messages: [...transcript("/srv/project"), createUserMessage("More.")] },
      /turn 3: the recording ended before this model call/,
    ],
  ])("fails at once with the first difference in %s, and says how to record it again", async (_, request, problem) => {
    const error = await ask(request).catch((reason: unknown) => reason)
    const failure = classifyModelError(error, { spec: modelSpec({ provider: "cassette" }), apiKey: undefined })
    expect(failure.kind).toBe("script_mismatch")
    expect(failure.message).toMatch(problem)
    expect(failure.message).toContain('record it again with "adjutant export <task> --cassette')
  })
})

describe("a conversation that was shortened", () => {
  it("gets a fixed summary, and is continued where the answers that it replaces ended", async () => {
    const summary = await ask({ purpose: "summary", systemPrompt: "Summarise.", messages: [createUserMessage("All.")] })
    expect(summary.parts).toEqual([{ type: "text", text: "The earlier steps of this recording." }])
    const hidden = transcript("/srv/project").slice(0, 3)
    const messages: readonly Message[] = [{ role: "user", source: "compaction", text: "A file was read." }]
    expect(await ask({ hidden, messages }, { mode: "lenient" })).toMatchObject({ stop: "end_turn" })
    await expect(ask({ hidden, messages })).rejects.toThrow(
      /turn 2: message 1 was .* and is "compaction: A file was read/,
    )
  })
})

describe("a lenient cassette", () => {
  it("answers by turn, whatever prompts and results say", async () => {
    const messages = [createUserMessage("Else."), callOf("/srv/project/a.txt"), createToolResult("c1", "nothing")]
    expect(await ask({ messages, systemPrompt: "Else.", tools: [] }, { mode: "lenient" })).toMatchObject({
      stop: "end_turn",
    })
  })

  it("fails if an answer so far made another call", async () => {
    const messages = [createUserMessage("Else."), callOf("/etc/passwd"), createToolResult("c1", "nothing")]
    await expect(ask({ messages }, { mode: "lenient" })).rejects.toThrow(/answer 1 of the transcript makes other calls/)
  })

  it("chooses the conversation with the same first message", async () => {
    const cassette = cassetteIn("/srv/project")
    const child = cassetteIn("/srv/project", [
      createUserMessage("Count."),
      createAssistantMessage([{ type: "text", text: "3" }]),
    ])
    const file = fileWith(
      JSON.stringify({ ...cassette, conversations: [...cassette.conversations, ...child.conversations] }),
    )
    const { parts } = await ask(
      { messages: [createUserMessage("Count.")], systemPrompt: "Child." },
      { mode: "lenient", file },
    )
    expect(parts).toEqual([{ type: "text", text: "3" }])
  })
})

describe("a file that is no cassette", () => {
  it.each([
    ["no JSON", "turns: []", /it is not valid JSON/],
    ["of another version", '{"adjutant_cassette": 2}', /adjutant_cassette/],
    ["with an unknown key", JSON.stringify({ ...cassetteIn("/x"), more: 1 }), /more/],
    ["that nests deeply", "[".repeat(100_000), /it is not valid JSON/],
    ["that is too large", " ".repeat(maxCassetteBytes + 1), /has more than 4194304 bytes/],
  ])("is refused: %s", async (_, text, problem) => {
    const file = fileWith(text)
    await expect(ask({}, { file })).rejects.toThrow(problem)
    await expect(ask({}, { file })).rejects.toMatchObject({ code: "invalid_config" })
  })

  it("is refused if it is missing", async () => {
    await expect(ask({}, { file: "/nowhere/x.json" })).rejects.toThrow(/it cannot be read/)
  })
})
