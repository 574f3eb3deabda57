import { readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AuditEntry } from "../../../contracts/http/audit.ts"
import { sessionSchema } from "../../../contracts/session/session.ts"
import { bundlePage } from "../../../scripts/page/bundle-page.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory } from "./program.ts"
import { addressOf } from "./remote-project.ts"

let project: ProjectDirectory
beforeAll(async () => {
  await bundlePage(path.resolve(import.meta.dirname, "../../.."))
  project = await createProject({
    main: {
      turns: [
        { reply: { tool_calls: [{ id: "w", name: "Write", arguments: { file_path: "a.txt", content: "a" } }] } },
        { reply: { text: "Written." } },
      ],
    },
  })
})
afterAll(() => project.remove())

const json = { "content-type": "application/json" }
const post = async (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { ...json, ...(await project.authorization()) }, body: JSON.stringify(body) })
const get = async (url: string) => fetch(url, { headers: await project.authorization() })

describe("adjutant dev and adjutant serve", () => {
  it("share one store: a session started at one is watched, approved and completed at the other", async () => {
    const dev = project.start("dev", "--port", "0")
    const devUrl = await addressOf(dev)
    const serve = project.start("serve", "--port", "0")
    const serveUrl = await addressOf(serve)
    expect(serveUrl).not.toBe(devUrl)
    const created = sessionSchema.parse(await (await post(`${serveUrl}/v1/sessions`, {})).json())
    const sent = await post(`${serveUrl}/v1/sessions/${created.id}/messages`, { message: "Write it." })
    expect(sent.status).toBe(202)
    const stream = await get(`${serveUrl}/v1/sessions/${created.id}/events`)
    const events = follow(stream)
    const sessionAt = async (url: string) =>
      sessionSchema.parse(await (await get(`${url}/v1/sessions/${created.id}`)).json())
    await eventually(async () => (await sessionAt(devUrl)).status === "paused", { timeoutMs: 60_000 })
    const { run_id } = await sessionAt(serveUrl)
    const decided = await post(`${devUrl}/v1/sessions/${created.id}/tools/decisions`, {
      run_id,
      decisions: { w: { action: "accept" } },
    })
    expect(decided.status).toBe(200)
    await eventually(async () => (await sessionAt(serveUrl)).final_message === "Written.", { timeoutMs: 60_000 })
    await eventually(() => events.text().includes("event: run-finished"))
    const token = await readFile(path.join(project.dataDir, "api-token"), "utf8")
    const audit = async (...argv: readonly string[]) =>
      await project.runWith({ ADJUTANT_API_TOKEN: token }, "audit", created.id, ...argv, "--server", serveUrl)
    const { items } = JSON.parse((await audit("--output", "json")).stdout)
    expect(items.map(({ action, via, actor }: AuditEntry) => [action, via, actor])).toEqual([
      ["decide", "http", "person"],
      ["message", "http", "person"],
      ["create", "http", "person"],
    ])
    expect(items[0]).toMatchObject({ detail: { decisions: { w: "accept" } }, hash: expect.stringMatching(/^\w{64}$/) })
    expect((await audit("--limit", "1")).stdout).toMatch(/decide .*accept w[^]*More: repeat the command with --cursor/)

    serve.child.kill("SIGTERM")
    expect(await serve.ended).toMatchObject({ code: 0 })
    await events.ended
    dev.child.kill("SIGTERM")
    expect((await dev.ended).code).toBe(0)
  })

  it("create a token together, which every request but the page and the health checks needs", async () => {
    await using fresh = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
    const started = [fresh.start("dev", "--port", "0"), fresh.start("serve", "--port", "0")]
    const urls = await Promise.all(started.map(addressOf))
    const file = path.join(fresh.dataDir, "api-token")
    const token = await readFile(file, "utf8")
    expect(token).toMatch(/^[\w-]{43}$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    for (const url of urls) {
      const statusOf = async (to: string, headers = {}) => (await fetch(url + to, { headers })).status
      for (const to of ["/", "/app.js", "/healthz", "/readyz"]) expect([to, await statusOf(to)]).toEqual([to, 200])
      for (const to of ["/v1/sessions", "/v1/approvals", "/metrics", "/mcp"])
        expect([to, await statusOf(to)]).toEqual([to, 401])
      expect(await statusOf("/v1/sessions", { authorization: `Bearer ${token}` })).toBe(200)
    }
    for (const { child } of started) child.kill("SIGTERM")
    const [dev, serve] = await Promise.all(started.map(({ ended }) => ended))
    expect([dev?.code, serve?.code]).toEqual([0, 0])
    expect([dev, serve].map((ended) => `${ended?.stdout}${ended?.stderr}`).join("")).not.toContain(token)
  })
})

describeInDeepRun("a server that cannot start as it is asked to", () => {
  it("says what to do if the port is in use, or if an open address has no protection", async () => {
    const first = project.start("serve", "--port", "0")
    const { port } = new URL(await addressOf(first))
    const second = await project.run("serve", "--port", port)
    expect([second.code, second.stderr.includes(`127.0.0.1:${port} is already in use`)]).toEqual([2, true])
    const open = await project.run("serve", "--port", "0", "--host", "0.0.0.0")
    expect([open.code, open.stderr.includes("ADJUTANT_API_TOKEN")]).toEqual([2, true])
    first.child.kill("SIGTERM")
    expect((await first.ended).code).toBe(0)
  })

  it("names the sub-agents that are allowed and do not exist, if profiles come from the store", async () => {
    const file = path.join(project.cwd, "profiles.yaml")
    await writeFile(file, "profiles: { source: store }\nsubagents: { allowAgents: [explroe] }\n")
    const serve = project.start("--config", file, "serve", "--port", "0")
    await serve.stderrHas("subagents.allowAgents.0: there is no profile explroe (did you mean explore?)")
    await addressOf(serve)
    serve.child.kill("SIGTERM")
    expect((await serve.ended).code).toBe(0)
  })

  it("rejects a configuration that names a token without a value", async () => {
    const file = path.join(project.cwd, "tokens.yaml")
    await writeFile(file, "http: { port: 0, tokens: [{ name: ci, tokenEnv: CI_TOKEN_OF_NOBODY, scopes: [read] }] }\n")
    const ended = await project.run("--config", file, "serve")
    expect([ended.code, ended.stderr.includes("CI_TOKEN_OF_NOBODY")]).toEqual([2, true])
  })
})

/** What a stream has sent so far, and whether it has ended. */
const follow = (response: Response) => {
  let text = ""
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8")
  }
  return { text: () => text, ended: read() }
}
