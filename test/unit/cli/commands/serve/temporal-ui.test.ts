import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli } from "../../../../../cli/run-cli.ts"
import { eventually } from "../../../../helpers/eventually.ts"
import { stubEnvironment } from "../../stub-environment.ts"

let ui: Server
let upstream: string

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

beforeEach(async () => {
  ui = createServer((request, response) => response.end(`UI ${request.headers.host}`)).listen(0, "127.0.0.1")
  await once(ui, "listening")
  upstream = `127.0.0.1:${portOf(ui)}`
})
afterEach(() => new Promise((resolve) => ui.close(resolve)))

const serve = async (...flags: readonly string[]) => {
  const { environment, written, signals } = stubEnvironment()
  const ended = runCli(["temporal-ui", "--upstream", upstream, "--port", "0", ...flags], environment)
  await eventually(() => written.stderr.includes("listening on "))
  const url = /listening on (\S+)\n/.exec(written.stderr)?.[1] ?? ""
  return { url, end: () => (signals.emit("SIGTERM"), ended) }
}

/** Fetch sets `Host` itself. */
const statusFor = async (url: string, host: string): Promise<number> => {
  const { request } = await import("node:http")
  const sent = request(url, { headers: { host }, agent: false })
  sent.end()
  const [answer] = await once(sent, "response")
  answer.resume()
  return answer.statusCode
}

describe("adjutant temporal-ui", () => {
  it("serves the UI to people, and nothing to pages of other names", async () => {
    const { url, end } = await serve("--allow-host", "ui.example")
    const { host } = new URL(url)
    expect(await (await fetch(url)).text()).toBe(`UI ${host}`)
    expect(await statusFor(url, "ui.example")).toBe(200)
    expect(await statusFor(url, "page.example")).toBe(403)
    expect((await fetch(url, { method: "POST", headers: { origin: "http://page.example" } })).status).toBe(403)
    expect(await end()).toBe(0)
  })

  it("says that its port is in use", async () => {
    const { url, end } = await serve()
    const { environment, written } = stubEnvironment()
    const taken = ["temporal-ui", "--upstream", upstream, "--port", new URL(url).port]
    expect(await runCli(taken, environment)).toBe(2)
    expect(written.stderr).toContain("cannot listen on 127.0.0.1:")
    await end()
  })

  it.each(["", "no-port", "host:0", "host:70000", "http://host:1", "user@host:1"])(
    "rejects %j as the address of the UI",
    async (value) => {
      const { environment, written } = stubEnvironment()
      expect(await runCli(["temporal-ui", "--upstream", value], environment)).toBe(2)
      expect(written.stderr).toContain("host:port")
    },
  )
})
