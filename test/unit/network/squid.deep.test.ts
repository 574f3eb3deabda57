import { afterEach, expect, vi } from "vitest"
import { classifyModelError } from "../../../models/failure/classify-model-error.ts"
import { openAiCompatibleProvider } from "../../../models/openai/openai-compatible.ts"
import { describeWith, testWith } from "../../helpers/needs.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { type FakeProvider, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec } from "../../helpers/providers/model-request.ts"
import { squid, startSquid } from "../../helpers/start-squid.ts"

/** Only the proxy knows where it is. */
const host = "models.corp.internal"

const useProxy = (url: string, noProxy?: string): void => {
  for (const name of ["https_proxy", "http_proxy", "no_proxy", "HTTPS_PROXY"]) vi.stubEnv(name, undefined)
  vi.stubEnv("HTTP_PROXY", url)
  vi.stubEnv("NO_PROXY", noProxy)
}

const withUser = (url: string, credentials: string): string => url.replace("//", `//${credentials}@`)

/** Asks the model at the host, and returns its answer or the classified failure. */
const ask = (server: FakeProvider) => {
  const baseUrl = `http://${host}:${new URL(server.url).port}/v1`
  const request = createModelRequest({ spec: modelSpec({ provider: "openai-compatible", model: "m", baseUrl }) })
  return openAiCompatibleProvider.respond(request).catch((error: unknown) => classifyModelError(error, request))
}

const answer = { parts: [{ type: "text", text: "Reached." }], stop: "end_turn" }

afterEach(() => {
  vi.unstubAllEnvs()
})

describeWith([squid], "a model server that only Squid reaches", () => {
  testWith([squid], "answers through a proxy without a password, and is not reached without the proxy", async () => {
    await using server = await startFakeProvider([createChatText("Reached.")])
    await using proxy = await startSquid({ hosts: [host], isProtected: false })
    useProxy(proxy.url)
    expect(await ask(server)).toMatchObject(answer)
    useProxy(proxy.url, host)
    expect(await ask(server)).toMatchObject({ kind: "retry", message: expect.stringContaining("ENOTFOUND") })
    expect(server.requests).toHaveLength(1)
  })

  testWith([squid], "answers through a proxy with the password, and not with another one", async () => {
    await using server = await startFakeProvider([createChatText("Reached.")])
    await using proxy = await startSquid({ hosts: [host], isProtected: true })
    useProxy(withUser(proxy.url, "ana:p%40ss"))
    expect(await ask(server)).toMatchObject(answer)
    for (const url of [proxy.url, withUser(proxy.url, "ana:wrong-one")]) {
      useProxy(url)
      const failure = await ask(server)
      expect(failure).toMatchObject({ kind: "retry", message: expect.stringContaining("PROXY_ANSWERED_407") })
      expect(JSON.stringify(failure)).not.toContain("wrong-one")
    }
    expect(server.requests).toHaveLength(1)
  })

  testWith([squid], "answers through a proxy that opens tunnels to port 443 only", async () => {
    await using server = await startFakeProvider([createChatText("Reached.")])
    await using proxy = await startSquid({ hosts: [host], isProtected: true, tunnelsTo443Only: true })
    useProxy(withUser(proxy.url, "ana:p%40ss"))
    expect(await ask(server)).toMatchObject(answer)
    expect(server.requests.map(({ headers }) => headers["proxy-authorization"])).toEqual([undefined])
    useProxy(proxy.url)
    expect(await ask(server)).toMatchObject({ message: expect.stringContaining("PROXY_ANSWERED_407") })
  })
})
