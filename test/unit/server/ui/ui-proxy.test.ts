import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import { connect } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isPortFree } from "../../../../server/exposure/choose-ports.ts"
import { chooseUiAddress, uiAddressOf, uiArguments } from "../../../../server/ui/ui-address.ts"
import { openUiProxy, type UiProxy } from "../../../../server/ui/ui-proxy.ts"

let ui: ChildProcess
let proxy: UiProxy

beforeAll(async () => {
  const args = uiArguments(await chooseUiAddress())
  ui = spawn(process.execPath, [path.join(import.meta.dirname, "fake-ui.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  await once(ui.stdout ?? ui, "data")
  proxy = await openUiProxy(undefined)
  proxy.serve({ pid: ui.pid ?? 0 })
})
afterAll(async () => {
  await proxy.close()
  ui.kill("SIGKILL")
})

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const send = async ({ method = "GET", path: url = "/", headers = {}, body }: Sent, port = proxy.port) => {
  const sent = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false })
  sent.end(body)
  const [answer] = await once(sent, "response")
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

/** Returns the answer to bytes that no HTTP client would send. */
const sendRaw = async (bytes: string): Promise<string> => {
  const socket = connect(proxy.port, "127.0.0.1")
  socket.end(bytes)
  return text(socket)
}

describe("the proxy of the Temporal UI", () => {
  it("passes the whole request on, and returns the answer", async () => {
    const headers = { origin: `http://127.0.0.1:${proxy.port}`, "x-csrf-token": "1", cookie: "_csrf=1" }
    const answer = await send({ method: "POST", path: "/api/v1/x?y=%2F", headers, body: "changed" })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      method: "POST",
      url: "/api/v1/x?y=%2F",
      body: "changed",
      headers: { ...headers, host: `127.0.0.1:${proxy.port}` },
    })
    expect(answer.headers["set-cookie"]).toEqual(["_csrf=1", "other=2"])
    expect((await send({ path: "/teapot" })).status).toBe(418)
  })

  it("removes headers that would let other pages read the answer, or make the UI skip its own check", async () => {
    const answer = await send({ headers: { authorization: "Bearer x", "x-other": "y" } })
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin")
    expect(answer.headers).toMatchObject({
      "x-frame-options": "SAMEORIGIN",
      "cross-origin-resource-policy": "same-origin",
    })
    const { headers } = JSON.parse(answer.body)
    expect(headers).not.toHaveProperty("authorization")
    expect(headers).toHaveProperty("x-other", "y")
  })

  it("rejects other pages without asking the UI", async () => {
    const refused = await send({ method: "POST", headers: { origin: "http://page.example" }, body: "{}" })
    expect([refused.status, refused.body]).toEqual([403, "requests from other pages are refused\n"])
    expect((await send({ headers: { host: "page.example" } })).status).toBe(403)
  })

  it("rejects tunnels, web sockets and HTTP/1.0", async () => {
    const host = `Host: 127.0.0.1:${proxy.port}\r\n`
    expect(await sendRaw(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 403 /)
    expect(await sendRaw(`GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403 /,
    )
    expect(await sendRaw(`GET / HTTP/1.0\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 505 /)
    expect(await sendRaw("GET / HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("listens on the requested port if it is free, and otherwise on another one", async () => {
    const second = await openUiProxy(proxy.port)
    expect(second.port).not.toBe(proxy.port)
    await second.close()
    const third = await openUiProxy(second.port)
    expect(third.port).toBe(second.port)
    expect(third.url()).toBeUndefined()
    expect((await send({}, third.port)).status).toBe(502)
    await third.close()
  })

  it("reports that the server is down, without revealing where its UI is", async () => {
    const gone = await openUiProxy(undefined)
    const other = spawn(process.execPath, [
      "-e",
      "setInterval(() => {}, 1000)",
      ...uiArguments(await chooseUiAddress()),
    ])
    await once(other, "spawn")
    gone.serve({ pid: other.pid ?? 0 })
    const answer = await send({}, gone.port)
    expect(answer.status).toBe(502)
    expect(JSON.stringify(answer)).not.toContain(uiAddressOf(other.pid ?? 0)?.host)
    other.kill("SIGKILL")
    await gone.close()
  })
})

describe("chooseUiAddress", () => {
  it("returns an address other than the usual one, with a port that browsers refuse", async () => {
    const chosen = await chooseUiAddress(async () => true)
    expect(chosen?.host).toMatch(/^127\./)
    expect(chosen?.host).not.toBe("127.0.0.1")
    // Node's fetch follows the browsers' rule.
    await expect(fetch(`http://${chosen?.host}:${chosen?.port}`)).rejects.toMatchObject({
      cause: { message: "bad port" },
    })
    expect(await chooseUiAddress(async () => true)).not.toEqual(chosen)
  })

  it("returns such a port of 127.0.0.1 if the system has no other address", async () => {
    const chosen = await chooseUiAddress((port, host) =>
      host === "127.0.0.1" ? isPortFree(port, host) : Promise.resolve(false),
    )
    expect(chosen?.host).toBe("127.0.0.1")
    await expect(fetch(`http://127.0.0.1:${chosen?.port}`)).rejects.toMatchObject({ cause: { message: "bad port" } })
  })

  it("returns no address if no such port is free", async () => {
    const chosen = await chooseUiAddress(async () => false)
    expect(chosen).toBeUndefined()
    expect(uiArguments(chosen)).toEqual(["--headless"])
  })
})
