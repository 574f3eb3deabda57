import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { connectTemporal } from "../../../../server/connection/connect-temporal.ts"
import { startUnavailableServer } from "../../../helpers/engine/unavailable-server.ts"
import { startProxy } from "../../../helpers/start-proxy.ts"

beforeEach(() => {
  for (const name of ["http_proxy", "no_proxy", "https_proxy", "HTTP_PROXY", "NO_PROXY", "HTTPS_PROXY"])
    vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each(["https_proxy", "HTTPS_PROXY"])("the embedded engine is not asked for through %s", async (name) => {
  const server = await startUnavailableServer()
  await using proxy = await startProxy()
  vi.stubEnv(name, proxy.url)
  const reached = { kind: "embedded", address: server.address, namespace: "default" } as never
  const temporal = await connectTemporal(reached, {})
  await temporal.close()
  expect(proxy.requests).toEqual([])
})

test("clients and workers reach a Temporal elsewhere through the proxy of its address", async () => {
  const server = await startUnavailableServer()
  await using proxy = await startProxy({ targetPort: Number(server.address.split(":")[1]) })
  vi.stubEnv("HTTPS_PROXY", proxy.url.replace("//", "//ana:secret@"))
  const address = "temporal.corp.invalid:7233"
  const temporal = await connectTemporal({ kind: "external", address, namespace: "default" } as never, {})
  await temporal.nativeConnection()
  await temporal.close()
  const authorization = `Basic ${Buffer.from("ana:secret").toString("base64")}`
  const tunnel = { kind: "tunnel", target: address, authorization }
  expect(proxy.requests).toEqual([tunnel, tunnel])
})
