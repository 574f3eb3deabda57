import { afterEach, describe, expect, test, vi } from "vitest"
import { postDelivery } from "../../../activities/delivery/post-delivery.ts"
import { createProviderFetch } from "../../../models/provider-fetch.ts"
import { outgoing } from "../../../network/outgoing.ts"
import { startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { startProxy } from "../../helpers/start-proxy.ts"

const answer = { kind: "http", status: 200, body: { ok: true } } as const

const useProxy = (url: string): void => {
  for (const name of ["https_proxy", "http_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY"]) vi.stubEnv(name, undefined)
  vi.stubEnv("HTTP_PROXY", url)
}

const withCredentials = (url: string): string => url.replace("//", "//ana:p%40ss@")

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("a request to another machine", () => {
  test("goes through the proxy that the environment names", async () => {
    await using server = await startFakeProvider([answer])
    await using proxy = await startProxy({ targetPort: Number(new URL(server.url).port) })
    useProxy(withCredentials(proxy.url))
    const response = await createProviderFetch(10_000)("http://models.corp.invalid/v1", { method: "POST", body: "{}" })
    expect(await response.json()).toEqual({ ok: true })
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1"])
    const authorization = `Basic ${Buffer.from("ana:p@ss").toString("base64")}`
    expect(proxy.requests).toEqual([{ kind: "tunnel", target: "models.corp.invalid:80", authorization }])
  })

  test("is handed to a proxy that opens no tunnels to servers without TLS", async () => {
    await using proxy = await startProxy({ tunnelStatus: 403 })
    useProxy(proxy.url)
    const response = await outgoing("http://models.corp.invalid/v1?x=1")
    expect(await response.text()).toBe("forwarded")
    expect(proxy.requests.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      "tunnel models.corp.invalid:80",
      "forward http://models.corp.invalid/v1?x=1",
    ])
  })

  test.each(["https", "http"])(
    "fails with the status of a proxy that refuses it, and not as an abort: %s",
    async (scheme) => {
      await using proxy = await startProxy({ tunnelStatus: 407 })
      useProxy(proxy.url)
      const error: unknown = await outgoing(`${scheme}://models.corp.invalid/v1`).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        name: "TypeError",
        cause: { message: `the proxy ${proxy.url} refused the connection with status 407` },
      })
    },
  )

  test("reaches loopback directly", async () => {
    await using server = await startFakeProvider([answer])
    await using proxy = await startProxy()
    useProxy(proxy.url)
    expect((await outgoing(server.url)).status).toBe(200)
    expect(proxy.requests).toEqual([])
  })

  test("keeps its own limits behind a proxy", async () => {
    await using server = await startFakeProvider([{ kind: "silence" }])
    await using proxy = await startProxy({ targetPort: Number(new URL(server.url).port) })
    useProxy(proxy.url)
    const error: unknown = await outgoing("http://models.corp.invalid/", {}, { headersTimeout: 1 }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } })
  })

  test("is how a webhook is delivered", async () => {
    await using server = await startFakeProvider([answer])
    await using proxy = await startProxy({ targetPort: Number(new URL(server.url).port) })
    useProxy(proxy.url)
    const policy = { attempts: 1, timeoutMs: 10_000, firstDelayMs: 1, maxDelayMs: 1 }
    const row = { key: "k", body: "{}", url: "http://hooks.corp.invalid/in", policy } as never
    const signal = new AbortController().signal
    expect(await postDelivery(row, { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", attempt: 1, signal })).toEqual({
      kind: "delivered",
    })
    expect(proxy.requests.map(({ target }) => target)).toEqual(["hooks.corp.invalid:80"])
  })
})
