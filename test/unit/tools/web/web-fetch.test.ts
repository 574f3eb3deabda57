import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import type { ToolContext } from "../../../../tools/tool.ts"
import { createWebFetch, webFetch } from "../../../../tools/web/web-fetch.ts"
import { startProxy } from "../../../helpers/start-proxy.ts"
import { call, createWorkspace } from "../workspace.ts"

const serve = async (listener: RequestListener) => {
  const server = createServer(listener)
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const answering =
  (type: string, body: string | Buffer, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": type }).end(body)

/** Tests reach the server of this machine by a rule of their own. */
const open = createWebFetch({ isReachable: () => true, timeoutMs: 20_000 })

const fetchFrom = async (listener: RequestListener, input: object = {}, overrides: Partial<ToolContext> = {}) => {
  const port = await serve(listener)
  return call(open, { url: `http://127.0.0.1:${port}/page#part`, ...input }, createWorkspace(overrides).context)
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("WebFetch", () => {
  it("returns the text of a page as Markdown, with its title, and without what nobody reads", async () => {
    const html = `<html><head><title>Notes</title><style>p{}</style></head><body><nav>Menu</nav><main><h1>One</h1>
      <p>Some <a href="https://example.org/x">link</a>.</p><script>alert(1)</script><pre><code>a  b</code></pre></main><footer>Imprint</footer></body></html>`
    const { content, isError } = await fetchFrom(answering("text/html; charset=utf-8", html))
    expect(isError).toBeUndefined()
    expect(content).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/page: Notes\n\n<web-page>\n# One\n\nSome \[link\]\(https:\/\/example\.org\/x\)\./,
    )
    expect(content).toContain("a  b")
    for (const hidden of ["Menu", "Imprint", "alert", "p{}"]) expect(content).not.toContain(hidden)
  })

  it("sends neither cookies nor a login, and keeps none", async () => {
    const seen: unknown[] = []
    const listener: RequestListener = (request, response) => {
      seen.push([request.headers.cookie, request.headers.authorization])
      response.writeHead(200, { "content-type": "text/plain", "set-cookie": "a=b" }).end("ok")
    }
    const port = await serve(listener)
    const { context } = createWorkspace()
    for (const path of ["/1", "/2"]) await call(open, { url: `http://127.0.0.1:${port}${path}` }, context)
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect(open.input.safeParse({ url: "http://ana:secret@example.org/" }).success).toBe(false)
    expect(open.input.safeParse({ url: "file:///etc/passwd" }).success).toBe(false)
  })

  it("returns as many characters as asked for, and says how many more there are", async () => {
    const { content } = await fetchFrom(answering("text/plain", "x".repeat(100)), { max_chars: 30 })
    expect(content).toContain(`\n${"x".repeat(30)}\n</web-page>`)
    expect(content).toContain("(70 more characters: raise max_chars)")
  })

  it("stops reading a page that is too long, also one that is compressed", async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" })
      const more = () => {
        while (response.write("y".repeat(100_000)));
      }
      response.on("drain", more)
      more()
    }
    expect((await fetchFrom(endless)).content).toContain("(the page is longer than 5242880 bytes")
  })

  it("reads a text in the character set of its header", async () => {
    const latin = Buffer.from([0x67, 0x72, 0xfc, 0x6e])
    expect((await fetchFrom(answering("text/plain; charset=ISO-8859-1", latin))).content).toContain("grün")
  })

  it("refuses what is not text, and shows what a failed request answers", async () => {
    const image = await fetchFrom(answering("image/png", Buffer.from([1, 2])))
    expect(image).toMatchObject({
      isError: true,
      content: expect.stringContaining("is image/png, and only text is read"),
    })
    const missing = await fetchFrom(answering("text/plain", "nothing here", 404))
    expect(missing).toMatchObject({
      isError: true,
      content: expect.stringMatching(/^HTTP status 404\n[^]*nothing here/),
    })
  })

  it("follows a redirect within a host, and names one to another host", async () => {
    const moved: RequestListener = ({ url }, response) =>
      url === "/page" ? void response.writeHead(302, { location: "/next" }).end() : void response.end(`at ${url}`)
    expect((await fetchFrom(moved)).content).toContain("at /next")
    for (const location of ["http://other.example/x", "http://127.0.0.1:1/", "http://a:b@127.0.0.1/"])
      expect(await fetchFrom((_, response) => void response.writeHead(302, { location }).end())).toMatchObject({
        isError: true,
        content: expect.stringContaining(`redirects to ${location}: to read that page, call WebFetch`),
      })
    const endless = await fetchFrom((_, response) => void response.writeHead(302, { location: "/again" }).end())
    expect(endless).toMatchObject({ isError: true, content: expect.stringContaining("more than 5 times") })
  })

  it.each([
    "http://127.0.0.1:9/",
    "http://localhost:8099/",
    "http://[::1]:9/",
    "http://2130706433:9/",
    "http://0x7f.1:9/",
  ])("reaches no server of this machine or its network: %s", async (url) => {
    expect(await call(webFetch, { url }, createWorkspace({ isDecided: true }).context)).toMatchObject({
      isError: true,
      content: expect.stringContaining("not public"),
    })
  })

  it("checks the address to which it connects, also after a redirect", async () => {
    const port = await serve((_, response) => void response.writeHead(302, { location: "/next" }).end())
    const asked: string[] = []
    const first = createWebFetch({ isReachable: (address) => asked.push(address) < 2, timeoutMs: 20_000 })
    const result = await call(first, { url: `http://127.0.0.1:${port}/` }, createWorkspace().context)
    expect(result).toMatchObject({ isError: true, content: expect.stringContaining("not public") })
    expect(asked).toEqual(["127.0.0.1", "127.0.0.1"])
    const named = createWebFetch({
      isReachable: (address) => address !== "127.0.0.1" && address !== "::1",
      timeoutMs: 20_000,
    })
    expect(await call(named, { url: `http://localhost:${port}/` }, createWorkspace().context)).toMatchObject({
      content: expect.stringContaining("localhost leads to an address that is not public"),
    })
  })

  it("ends after its time, and with its run", async () => {
    const silent = await serve(() => undefined)
    const url = `http://127.0.0.1:${silent}/`
    const hasty = createWebFetch({ isReachable: () => true, timeoutMs: 50 })
    expect((await call(hasty, { url }, createWorkspace().context)).content).toContain("was not read within 0.05 s")
    const controller = new AbortController()
    const running = call(open, { url }, createWorkspace({ signal: controller.signal }).context)
    controller.abort(new Error("cancelled"))
    await expect(running).rejects.toThrow("cancelled")
  })

  it("goes through a proxy only to hosts that the configuration names or a person approved", async () => {
    await using proxy = await startProxy({ tunnelStatus: 403 })
    for (const name of ["https_proxy", "http_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY"]) vi.stubEnv(name, undefined)
    vi.stubEnv("HTTP_PROXY", proxy.url)
    const read = (overrides: Partial<ToolContext>) =>
      call(webFetch, { url: "http://docs.example.invalid/" }, createWorkspace(overrides).context)
    expect(await read({})).toMatchObject({ isError: true, content: expect.stringContaining("through a proxy") })
    expect(proxy.requests).toEqual([])
    for (const allowed of [{ webHosts: ["*.example.invalid"] }, { isDecided: true }])
      expect((await read(allowed)).content).toContain("forwarded")
  })
})
