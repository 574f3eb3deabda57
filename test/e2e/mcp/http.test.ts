import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isDeep } from "../../helpers/effort.ts"
import { parse, stringify } from "yaml"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

const tokens = { all: "token-of-the-owner", run: "token-of-a-runner", read: "token-of-a-reader" }

const conversations = [
  {
    when: { user: "deploy" },
    turns: [
      {
        reply: { tool_calls: [{ id: "tc_write", name: "Write", arguments: { file_path: "plan.txt", content: "x" } }] },
      },
      { reply: { text: "Deployed." } },
    ],
  },
  { turns: [{ reply: { text: "Hello from a sub-agent." } }] },
]

let project: ProjectDirectory
let url: URL

beforeAll(async () => {
  const env = { OWNER_TOKEN: tokens.all, RUN_TOKEN: tokens.run, READ_TOKEN: tokens.read, ADJUTANT_TRUST: "1" }
  project = await createProject({ main: { conversations }, light: { conversations } }, env)
  const file = path.join(project.cwd, "adjutant.config.yaml")
  const http = {
    tokens: [
      { name: "owner", tokenEnv: "OWNER_TOKEN", scopes: ["read", "run", "approve"] },
      { name: "runner", tokenEnv: "RUN_TOKEN", scopes: ["read", "run"] },
      { name: "reader", tokenEnv: "READ_TOKEN", scopes: ["read"] },
    ],
  }
  await writeFile(file, stringify({ ...parse(await readFile(file, "utf8")), http }))
  const server = project.start("dev", "--port", "0")
  let stderr = ""
  server.child.stderr?.on("data", (text: string) => (stderr += text))
  await server.stderrHas("listening on ")
  await eventually(() => /listening on \S+\n/.test(stderr))
  url = new URL("/mcp", /listening on (\S+)\n/.exec(stderr)?.[1])
})
afterAll(() => project?.remove())

const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** The part of a client that the tests need, for either version of the SDK. */
interface HttpClient {
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string }[] }>
  readonly callTool: (call: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }) => Promise<Record<string, unknown>>
  readonly close: () => Promise<void>
}

const connectOld = async (token: string): Promise<HttpClient> => {
  const client = new OldClient({ name: "old-client", version: "1.0.0" })
  await client.connect(new OldTransport(url, { requestInit: requestInit(token) }))
  return client
}

const connectNew =
  (mode: "legacy" | "auto") =>
  async (token: string): Promise<HttpClient> => {
    const client = new Client({ name: "new-client", version: "1.0.0" }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit(token) }))
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25")
    return client
  }

const call = async (client: HttpClient, name: string, args: Record<string, unknown>) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  return {
    text: (content as readonly { readonly text: string }[])[0]?.text ?? "",
    data: (structuredContent ?? {}) as Record<string, unknown>,
    isError: isError === true,
  }
}

const deploy = { description: "Deploy", instructions: "deploy it", tools: ["Write"] }

const clients = [
  ["the 2.x client, newest revision", connectNew("auto")],
  ["the 2.x client, older revision", connectNew("legacy")],
  ["the 1.x client", connectOld],
] as const

describe.each(isDeep ? clients : clients.slice(0, 1))("POST /mcp with %s", (_, connect) => {
  it("starts a task, waits for its pause, approves as the token's owner, and collects the result", async () => {
    const client = await connect(tokens.all)
    const taskId = String((await call(client, "dynamic_subagent_task", deploy)).data["task_id"])
    const waited = await call(client, "wait_for_tasks", { task_ids: taskId })
    expect(waited.data["tasks"]).toMatchObject([{ task_id: taskId, status: "paused" }])
    const resumed = await call(client, "resume_subagent_task", { task_id: taskId, approve: ["tc_write"] })
    expect(resumed.isError).toBe(false)
    expect((await call(client, "wait_for_tasks", { task_ids: taskId })).text).toContain("Deployed.")
    await client.close()
    const { stdout } = await project.run("audit", taskId, "--output", "json")
    expect(stdout).toContain('"owner"')
  })

  it("finds its own tasks again after it restarted, and not those of another token", async () => {
    const first = await connect(tokens.run)
    const started = await call(first, "dynamic_subagent_task", { ...deploy, description: "Before the restart" })
    const taskId = String(started.data["task_id"])
    await first.close()
    const restarted = await connect(tokens.run)
    expect((await call(restarted, "get_all_tasks", {})).text).toContain(taskId)
    expect((await call(restarted, "get_task_details", { task_id: taskId })).isError).toBe(false)
    await restarted.close()
    const other = await connect(tokens.all)
    expect((await call(other, "get_all_tasks", {})).text).not.toContain(taskId)
    expect((await call(other, "get_task_details", { task_id: taskId })).text).toContain("TASK_NOT_FOUND")
    await other.close()
  })

  it("accepts no approval with a token that lacks the scope", async () => {
    const client = await connect(tokens.run)
    const taskId = String((await call(client, "dynamic_subagent_task", deploy)).data["task_id"])
    await call(client, "wait_for_tasks", { task_ids: taskId })
    const refused = await call(client, "resume_subagent_task", { task_id: taskId, approve: ["tc_write"] })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("does not accept approvals")])
    expect((await call(client, "cancel_task", { task_id: taskId })).data["status"]).toBe("cancelled")
    await client.close()
  })

  it("offers only reading with a token for reading", async () => {
    const client = await connect(tokens.read)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["get_all_tasks", "wait_for_tasks", "sessions_list"]))
    expect(names).not.toEqual(expect.arrayContaining(["dynamic_subagent_task"]))
    expect(await call(client, "get_all_tasks", {})).toMatchObject({ isError: false })
    const refused = await call(client, "dynamic_subagent_task", deploy)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("scope run")])
    await client.close()
  })
})

describe("requests to /mcp", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  }
  const post = (headers: Readonly<Record<string, string>>, body: unknown = initialize) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${tokens.all}`,
        ...headers,
      },
      body: JSON.stringify(body),
    })

  it("require a known token, and must not come from a page of another origin", async () => {
    expect((await post({ authorization: "Bearer none-of-them" })).status).toBe(401)
    expect((await post({ origin: "https://elsewhere.example" })).status).toBe(403)
  })

  it("need no session: a header that names one is ignored, and there is none to end or to listen to", async () => {
    const answered = await post({ "mcp-session-id": "of-another-server" })
    expect(answered.status).toBe(200)
    expect(answered.headers.get("mcp-session-id")).toBeNull()
    expect(await answered.text()).toContain('"protocolVersion":"2025-06-18"')
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(url, {
        method,
        headers: { accept: "text/event-stream", authorization: `Bearer ${tokens.all}` },
      })
      expect(answer.status).toBe(405)
    }
  })

  it("are rejected by the rules of the protocol if they are not messages", async () => {
    for (const body of [[], { jsonrpc: "1.0" }, { jsonrpc: "2.0", id: 1 }]) {
      const answer = await post({}, body)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } })
    }
    expect((await post({ "content-type": "text/plain" })).status).toBe(415)
  })
})
