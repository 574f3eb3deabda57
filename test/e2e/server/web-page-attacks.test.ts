import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { processArguments, flagValue } from "../../../server/exposure/process-arguments.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { createProject, type ProjectDirectory, type Started } from "../cli/program.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type ListeningSocket, findListeningSockets } from "../../helpers/http/listening-sockets.ts"
import { type PageRequest, sendPageRequest } from "../../helpers/http/page-request.ts"

// The embedded server answered any host, origin and content type on a port that nothing printed: one POST
// approved every paused session.

const writeCall = { id: "tc_write", name: "Write", arguments: { file_path: "plan.txt", content: "written" } }

const runsOnLinux = process.platform === "linux"

let project: ProjectDirectory
let dev: Started
let devStdout: string
let devStderr: string
let sessionId: string
let sockets: readonly ListeningSocket[]

const dataDir = (): string => project.dataDir
const record = () => {
  const live = liveRecord(dataDir())
  if (live === undefined) throw new Error("no server runs")
  return live
}
const status = async (): Promise<unknown> =>
  JSON.parse((await project.run("info", sessionId, "--output", "json")).stdout).status

beforeAll(async () => {
  if (!runsOnLinux) return
  project = await createProject({
    main: { turns: [{ reply: { tool_calls: [writeCall] } }, { reply: { text: "Written." } }] },
  })
  dev = project.start("dev", "--port", "0", "--output", "json")
  devStdout = ""
  devStderr = ""
  dev.child.stdout?.on("data", (text: string) => (devStdout += text))
  dev.child.stderr?.on("data", (text: string) => (devStderr += text))
  await dev.stderrHas("listening on ")
  const started = await project.run("run", "--pause-on-approval", "Write the plan.", "--output", "json")
  expect(started.code).toBe(10)
  sessionId = JSON.parse(started.stdout).session_id
  const { pid, keeperPid } = record()
  expect(keeperPid).toBe(dev.child.pid)
  sockets = [keeperPid, pid].flatMap((each) => findListeningSockets(each))
})
afterAll(async () => {
  if (!runsOnLinux) return
  dev.child.kill("SIGTERM")
  await dev.ended
  await project.remove()
})

/** Node's fetch refuses the ports that browsers refuse, before it connects. */
const isReachedByPages = async ({ host, port }: ListeningSocket): Promise<boolean> => {
  const cause: unknown = await fetch(`http://${host}:${port}/`, { signal: AbortSignal.timeout(5_000) }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.cause : undefined),
  )
  return !(cause instanceof Error && cause.message === "bad port")
}

type Source = Pick<PageRequest, "host" | "origin">

/**
 * Origins of requests: a page of another site, one whose name was made to point here, one in a sandboxed
 * frame, and none.
 */
const sources = ({ port }: ListeningSocket): readonly Source[] => [
  { host: `127.0.0.1:${port}`, origin: "http://page.example" },
  { host: `127.0.0.1:${port}`, origin: "null" },
  { host: `localhost:${port}`, origin: "http://127.0.0.1:1" },
  { host: `page.example:${port}`, origin: `http://page.example:${port}` },
  { host: "page.example", origin: "null" },
  { host: "page.example" },
  { host: "", origin: "http://page.example" },
  { host: "" },
  { origin: "http://page.example" },
  {},
]

const payload = {
  metadata: { encoding: Buffer.from("json/plain").toString("base64") },
  data: Buffer.from('"all"').toString("base64"),
}
const input = { payloads: [payload] }

const changes = (): readonly (readonly [path: string, body: object])[] => {
  const signalOperation = { signal: "approve", input, identity: "page" }
  const batch = { visibilityQuery: "AgentStatus='paused'", reason: "page", signalOperation }
  const workflow = encodeURIComponent(`subagent/${sessionId}`)
  return [
    ["/api/v1/namespaces/default/batch-operations/j1", batch],
    ["/namespaces/default/batch-operations/j1", batch],
    [`/api/v1/namespaces/default/workflows/${workflow}/signal/approve`, { input, identity: "page" }],
    [`/v1/sessions/${sessionId}/tools/decisions`, { run_id: "any", decisions: { tc_write: { action: "accept" } } }],
    [`/v1/sessions/${sessionId}/cancel`, {}],
    ["/nexus/endpoints/any/services/any/any", {}],
  ]
}

const reads = [
  "/api/v1/namespaces/default/workflows",
  "/api/v1/namespaces",
  "/namespaces/default/workflows",
  "/v1/sessions",
  "/v1/approvals",
  "/metrics",
  "/debug/pprof/cmdline",
  "/",
]

/** What a page must not learn: names of sessions, of the namespace's workflows, of the store. */
const telling = (): readonly string[] => [sessionId, "subagent", "plan.txt", "namespaceInfo", "go_goroutines"]

describe.runIf(runsOnLinux)("a web page", () => {
  it("finds only sockets of 127.0.0.0/8, and cannot name the UI's", async () => {
    expect(sockets.length).toBeGreaterThan(4)
    for (const { host } of sockets) expect(host).toMatch(/^127\./)
    const uiHost = flagValue(processArguments(record().pid), "--ui-ip") ?? ""
    expect(uiHost).not.toBe("127.0.0.1")
    const ui = sockets.filter(({ host }) => host === uiHost)
    expect(ui).toHaveLength(1)
    for (const socket of ui) expect(await isReachedByPages(socket)).toBe(false)
  })

  it("changes nothing through any of them", async () => {
    for (const socket of sockets) {
      if (!(await isReachedByPages(socket))) continue
      for (const [target, body] of changes())
        for (const source of sources(socket)) {
          const types = ["text/plain", "application/json", "application/x-www-form-urlencoded"]
          const replies = await Promise.all(
            types.map((contentType) =>
              sendPageRequest(socket, {
                method: "POST",
                path: target,
                ...source,
                contentType,
                body: JSON.stringify(body),
              }),
            ),
          )
          for (const reply of replies)
            expect(reply, `${socket.port} ${target} ${JSON.stringify(source)}`).not.toMatch(/^HTTP\/1\.[01] [23]/)
        }
    }
    expect(await status()).toBe("paused")
    expect(await readdir(project.cwd)).not.toContain("plan.txt")
  })

  it("reads nothing through any of them", async () => {
    for (const socket of sockets) {
      if (!(await isReachedByPages(socket))) continue
      for (const source of sources(socket)) {
        const replies = await Promise.all(
          reads.map((target) => sendPageRequest(socket, { method: "GET", path: target, ...source })),
        )
        for (const reply of replies) {
          const where = `${socket.port} ${JSON.stringify(source)}`
          for (const text of telling()) expect(reply, where).not.toContain(text)
          expect(reply, where).not.toMatch(/^access-control-allow-origin:/im)
        }
      }
    }
  })
})

describe.runIf(runsOnLinux)("the Temporal UI", () => {
  it("has its own address, which is printed nowhere", async () => {
    const uiHost = flagValue(processArguments(record().pid), "--ui-ip") ?? "?"
    const names = await readdir(dataDir(), { recursive: true, withFileTypes: true })
    for (const entry of names.filter((each) => each.isFile()))
      expect(await readFile(path.join(entry.parentPath, entry.name), "latin1"), entry.name).not.toContain(uiHost)
    expect(devStdout + devStderr).not.toContain(uiHost)
    expect((await project.run("doctor", "--output", "json")).stdout).not.toContain(uiHost)
    const page = await fetch(String(record().uiUrl))
    expect(await page.text()).not.toContain(uiHost)
  })

  it("is served to people where `dev` says, and approves on their click", async () => {
    const { temporal_ui: url } = z.object({ temporal_ui: z.url() }).parse(JSON.parse(devStdout))
    expect(url).toBe(record().uiUrl)
    const settings = await fetch(`${url}/api/v1/settings`)
    const csrf = /_csrf=([^;]+)/.exec(settings.headers.get("set-cookie") ?? "")?.[1] ?? ""
    const workflow = encodeURIComponent(`subagent/${sessionId}`)
    const answer = await fetch(`${url}/api/v1/namespaces/default/workflows/${workflow}/signal/approve`, {
      method: "POST",
      headers: { origin: url, cookie: `_csrf=${csrf}`, "x-csrf-token": csrf, "content-type": "application/json" },
      body: JSON.stringify({ input, identity: "page" }),
    })
    expect(answer.status).toBe(200)
    await eventually(async () => (await readdir(project.cwd)).includes("plan.txt"), { timeoutMs: 60_000 })
  })
})
