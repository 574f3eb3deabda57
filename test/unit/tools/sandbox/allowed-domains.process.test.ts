import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { Server } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import type { Sandbox } from "../../../../tools/sandbox/sandbox.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { createRuntime } from "./backends.ts"
import { createCommand } from "./command.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const missing = await createRuntime(["example.org"]).then(
  (sandbox) => sandbox.close?.(),
  (error: unknown) => String(error),
)
if (missing !== undefined) console.log(`The tests of allowed hosts are skipped: ${missing}`)

let server: Server
let port = 0

beforeAll(async () => {
  server = createServer((request, response) => response.end(`reached ${request.headers.host}`))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  port = typeof address === "object" && address !== null ? address.port : 0
})
afterAll(() => void server.close())

/** Requests a URL through the proxy in the environment, as programs that support proxies do. */
const script = `
const proxy = new URL(process.env.HTTP_PROXY)
const user = decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password)
const headers = { host: new URL(process.argv[1]).host, "proxy-authorization": "Basic " + Buffer.from(user).toString("base64") }
require("node:http")
  .get({ host: "localhost", port: proxy.port, path: process.argv[1], headers }, (response) => {
    process.stdout.write(response.statusCode + " ")
    response.pipe(process.stdout)
  })
  .on("error", (error) => console.log(error.code))`

const textOf = (pid: string, file: "comm" | "stat" | "cmdline"): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

const childrenOf = (parent: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => textOf(pid, "stat").split(") ")[1]?.split(" ")[1] === parent)

const descendantsOf = (pid: string): readonly string[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

const get = async (sandbox: Sandbox, host: string): Promise<string> => {
  const command = createCommand("")
  const { output } = await sandbox.run({
    ...command,
    command: `'${process.execPath}' -e '${script}' http://${host}:${port}/`,
  })
  return output
}

const open = async (hosts: readonly string[]): Promise<Sandbox> => {
  const sandbox = await createRuntime(hosts)
  onTestFinished(() => sandbox.close?.())
  return sandbox
}

const needs = [{ name: "bubblewrap and socat", isAvailable: missing === undefined }]

describeWith(needs, "allowed hosts", () => {
  test("a command reaches a named host on its port, and no other host", async () => {
    const sandbox = await open([`localhost:${port}`])
    expect(await get(sandbox, "localhost")).toBe(`200 reached localhost:${port}`)
    for (const host of ["other.localhost", "127.0.0.1"]) expect(await get(sandbox, host), host).toMatch(/^403 /)
    const elsewhere = await open(["localhost:1"])
    expect(await get(elsewhere, "localhost")).toMatch(/^403 /)
  })

  test("each sandbox has its own hosts", async () => {
    const [may, mayNot] = [await open(["localhost"]), await open(["example.org"])]
    const answers = await Promise.all([get(may, "localhost"), get(mayNot, "localhost"), get(may, "localhost")])
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["200", "403", "200"])
    await may.close?.()
    expect(await get(mayNot, "localhost")).toMatch(/^403 /)
  })

  test("one command also reaches hosts of its own, and its runtime ends with it", async () => {
    const runtimes = () =>
      childrenOf(String(process.pid)).filter((pid) => textOf(pid, "cmdline").includes("runtime-host"))
    // Those of other files that run in this process.
    const others = runtimes()
    const sandbox = await open(["example.org"])
    const command = (host: string) => `'${process.execPath}' -e '${script}' http://${host}:${port}/`
    const own = { network: [`localhost:${port}`] }
    const reached = await sandbox.run(createCommand(command("localhost"), own))
    expect(reached.output).toBe(`200 reached localhost:${port}`)
    expect((await sandbox.run(createCommand(command("other.localhost"), own))).output).toMatch(/^403 /)
    expect(await get(sandbox, "localhost")).toMatch(/^403 /)
    await sandbox.close?.()
    await untilPasses(() => expect(runtimes().filter((pid) => !others.includes(pid))).toEqual([]))
  })

  test("a command cannot avoid the proxy, and the worker's own proxy is not used", async () => {
    const sandbox = await open(["localhost"])
    const env = {
      PATH: "/usr/bin:/bin",
      HTTP_PROXY: `http://127.0.0.1:${port}`,
      https_proxy: "http://secret@elsewhere",
    }
    const { output } = await sandbox.run(createCommand(`cat < /dev/tcp/127.0.0.1/${port}; echo $HTTP_PROXY`, { env }))
    expect(output).toContain("Connection refused")
    expect(output).toMatch(/http:\/\/\S+@localhost:\d+/)
    expect(output).not.toContain(`127.0.0.1:${port}\n`)
    expect((await sandbox.run(createCommand("env", { env }))).output).not.toContain("elsewhere")
  })

  test("a killed worker leaves no process or file of the runtime behind", async () => {
    const { workspace, ...command } = createCommand("touch ready; sleep 300", { background: true })
    const file = fileURLToPath(import.meta.resolve("./start-command.ts"))
    const worker = spawn(process.execPath, [file, JSON.stringify(command), "sandbox-runtime", "example.org"], {
      stdio: "ignore",
    })
    await untilPasses(() => expect(existsSync(join(workspace.cwd, "ready"))).toBe(true))
    const left = descendantsOf(String(worker.pid ?? 0))
    expect(left.map((pid) => textOf(pid, "comm").trim())).toContain("socat")
    worker.kill("SIGKILL")
    await once(worker, "exit")
    await untilPasses(() => expect(left.filter((pid) => textOf(pid, "comm") !== "")).toEqual([]))
  })

  test("a runtime whose process was killed starts again, and its relay does not remain", async () => {
    const sandbox = await open([`localhost:${port}`])
    const left = descendantsOf(String(process.pid)).filter((pid) => textOf(pid, "comm").startsWith("socat"))
    const hosts = childrenOf(String(process.pid)).filter((pid) => textOf(pid, "cmdline").includes("runtime-host"))
    expect(hosts.length).toBeGreaterThan(0)
    expect(left.length).toBeGreaterThan(0)
    for (const pid of hosts) process.kill(Number(pid), "SIGKILL")
    await untilPasses(() => expect(left.filter((pid) => textOf(pid, "comm") !== "")).toEqual([]))
    await untilPasses(async () => expect(await get(sandbox, "localhost")).toMatch(/^200 /))
  })

  test("closing a sandbox frees what it used in the worker's process, and signals end the process as before", async () => {
    const before = process.listenerCount("SIGTERM")
    const sandbox = await createRuntime(["example.org"])
    expect(process.listenerCount("SIGTERM")).toBe(before)
    await sandbox.close?.()
    await sandbox.close?.()
    const again = await open([`localhost:${port}`])
    expect(await get(again, "localhost")).toMatch(/^200 /)
  })
})

const bubblewrap = await detectSandbox("auto", { backends: ["bubblewrap"] })

describeWith([{ name: "bubblewrap", isAvailable: bubblewrap.confined }], "the whole network", () => {
  test("is open to one command of a backend that cannot limit hosts, and to no other", async () => {
    const connect = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo open || echo closed`
    const output = async (more: object) => (await bubblewrap.run(createCommand(connect, more))).output.trim()
    expect(await output({ network: ["localhost"] })).toBe("open")
    expect(await output({})).toBe("closed")
    expect(bubblewrap.network).toBeUndefined()
  })
})

test.runIf(process.platform === "linux")(
  "a backend that cannot filter by host is not used if hosts are named",
  async () => {
    const options = { allowedDomains: ["example.org"], backends: ["bubblewrap"] } as const
    expect((await detectSandbox("auto", options)).reason).toBe(
      "bubblewrap cannot allow single hosts (security.sandbox.network)",
    )
    await expect(detectSandbox("require", options)).rejects.toMatchObject({ code: "sandbox_unavailable" })
  },
)
