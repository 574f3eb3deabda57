import { writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { createChatCalls, readWireUsers, startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { FakeProvider, RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { createProject, type Ended, type ProjectDirectory } from "./program.ts"
import { type RemoteProject, startServer } from "./remote-project.ts"

/** `RUN_TOKEN` starts tasks; `APPROVE_TOKEN` also approves. */
const tokens = { RUN_TOKEN: "token-that-starts-tasks", APPROVE_TOKEN: "token-that-approves" }

const configOf = (modelUrl: string) => ({
  models: {
    main: { provider: "openai-compatible", model: "big", baseUrl: `${modelUrl}/v1`, apiKeyEnv: "MODEL_KEY" },
  },
  http: {
    tokens: [
      { name: "starter", tokenEnv: "RUN_TOKEN", scopes: ["read", "run"] },
      { name: "lead", tokenEnv: "APPROVE_TOKEN", scopes: ["read", "run", "approve"] },
    ],
  },
})

/** Looks around for three turns, counts wrong at first, or answers nothing until it is told to continue. */
const respond = (turn: number, request: RecordedRequest) => {
  const users = readWireUsers(request)
  if (users[0] === "Wait." && users.length === 1) return { kind: "silence" } as const
  if (users[0] === "Count.") return createChatText(turn === 1 ? "Three files." : '{"files": 3}')
  return turn < 4 ? createChatCalls(turn, ["LS", {}]) : createChatText("Seen.")
}

let model: FakeProvider
let project: ProjectDirectory
let remote: RemoteProject
beforeAll(async () => {
  model = await startChatModel(respond)
  project = await createProject({}, { ...tokens, MODEL_KEY: "key-of-the-model", ADJUTANT_TRUST: "1" })
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify(configOf(model.url)))
  remote = await startServer(project, tokens.APPROVE_TOKEN)
})
afterAll(async () => {
  await remote.close()
  await project.remove()
  await model.close()
})

const json = ({ stdout }: Ended) => JSON.parse(stdout)

/** Sends a request with one of the tokens. */
const ask = async (token: keyof typeof tokens, route: string, body?: object) => {
  const headers = { authorization: `Bearer ${tokens[token]}`, "content-type": "application/json" }
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await fetch(`${remote.url}${route}`, { headers, ...post })
  const text = await response.text()
  return { status: response.status, body: text === "" ? null : JSON.parse(text) }
}
const begin = async (body: object): Promise<string> => (await ask("RUN_TOKEN", "/v1/runs", body)).body.session_id
const outcomeOf = async (id: string) => {
  for (;;) {
    const { body } = await ask("RUN_TOKEN", `/v1/sessions/${id}/outcome?wait_seconds=50`)
    if (body !== null) return body
  }
}
const effortsOf = (task: string): readonly unknown[] =>
  model.requests.flatMap((request) => (readWireUsers(request)[0] === task ? [request.body["reasoning_effort"]] : []))

describe("a run that ended at a limit", () => {
  it("is continued on the command line as its error says, with more steps, and with more of nothing else", async () => {
    const first = await project.run("run", "Look.", "--max-steps", "2", "-t", "LS", "--output", "json")
    const failed = json(first)
    expect([first.code, failed]).toMatchObject([1, { outcome: "failed", stop_reason: "max_steps", steps_taken: 2 }])
    expect(failed.error.message).toContain("raise it with --max-steps")
    const wider = await remote.run("resume", failed.task_id, "Continue.", "--max-steps", "9", "-t", "LS", "-t", "Read")
    expect(wider).toMatchObject({ code: 2, stdout: "" })
    expect(wider.stderr).toContain("Read")
    const second = await project.run("resume", failed.task_id, "Continue.", "--max-steps", "9", "--output", "json")
    expect([second.code, json(second)]).toMatchObject([
      0,
      { outcome: "completed", task_id: failed.task_id, final_message: "Seen.", steps_taken: 1 },
    ])
    expect((await project.run("audit", failed.task_id, "--output", "json")).stdout).toContain("max_steps")
  })

  it.each([
    ["max_steps", { message: "Look.", max_steps: 2 }, { max_steps: 9 }],
    ["budget", { message: "Look.", budget_tokens: 10 }, { budget_tokens: 9_000_000 }],
    ["timeout", { message: "Wait.", timeout_seconds: 1 }, { timeout_seconds: 0 }],
  ])("is continued over HTTP by a token with approve, with more of what ended it: %s", async (reason, body, more) => {
    const id = await begin({ allowed_tools: ["LS"], max_steps: 8, budget_tokens: 8_000_000, ...body })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "failed", stop_reason: reason })
    const proceed = (token: keyof typeof tokens, limits: object) =>
      ask(token, `/v1/sessions/${id}/messages`, { message: "Continue.", ...limits })
    expect(await proceed("RUN_TOKEN", more)).toMatchObject({ status: 403, body: { code: "forbidden" } })
    const others = { max_steps: 9, budget_tokens: 9_000_000, allowed_tools: ["LS", "Read"] }
    for (const [name, wider] of Object.entries(others).filter(([limit]) => !Object.hasOwn(more, limit)))
      expect(await proceed("APPROVE_TOKEN", { ...more, [name]: wider })).toMatchObject({
        status: 422,
        body: { code: "limit_widened" },
      })
    expect(await proceed("APPROVE_TOKEN", more)).toMatchObject({ status: 202 })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "completed", task_id: id, final_message: "Seen." })
  })
})

describe("a thinking level", () => {
  it("reaches the model from the command line, from a thin client and over HTTP", async () => {
    await project.run("run", "Think on this machine.", "--thinking", "high", "--max-steps", "1")
    await remote.run("run", "Think on the server.", "--thinking", "low", "--max-steps", "1")
    await outcomeOf(await begin({ message: "Think over HTTP.", thinking: "medium", max_steps: 1 }))
    const efforts = ["on this machine", "on the server", "over HTTP"].map((where) =>
      effortsOf(`Think ${where}.`).at(-1),
    )
    expect(efforts).toEqual(["high", "low", "medium"])
  })

  it("is refused if there is no such level", async () => {
    const ended = await remote.run("run", "Think.", "--thinking", "enormous")
    expect([ended.code, ended.stderr.includes("--thinking")]).toEqual([2, true])
    const refused = await ask("RUN_TOKEN", "/v1/runs", { message: "Think.", thinking: "enormous" })
    expect([refused.status, refused.body.error.includes("thinking")]).toEqual([400, true])
  })
})

describe("an output schema", () => {
  const output_schema = { type: "object", properties: { files: { type: "integer" } }, required: ["files"] }

  it("is met over HTTP by the second answer, after the model was told what is wrong with the first one", async () => {
    const id = await begin({ message: "Count.", output_schema })
    expect(await outcomeOf(id)).toMatchObject({ outcome: "completed", result: { files: 3 }, steps_taken: 2 })
    const asked = model.requests.filter((request) => readWireUsers(request)[0] === "Count.").map(readWireUsers)
    expect(asked.slice(-2)).toEqual([["Count."], ["Count.", expect.stringContaining("it is not JSON")]])
    expect((await ask("RUN_TOKEN", `/v1/sessions/${id}`)).body).toMatchObject({ status: "completed" })
  })

  it("is refused if it is no JSON Schema", async () => {
    const refused = await ask("RUN_TOKEN", "/v1/runs", { message: "Count.", output_schema: { type: "nonsense" } })
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("output schema")])
  })
})
