import { describe, expect, test } from "vitest"
import { configuredProxies, proxyFor } from "../../../network/proxy-for.ts"

const proxy = "http://proxy.corp:3128"

describe("the proxy of an address", () => {
  test.each([
    ["https://api.corp/v1", { HTTPS_PROXY: proxy }],
    ["https://api.corp/v1", { https_proxy: proxy }],
    ["https://api.corp/v1", { HTTP_PROXY: proxy }],
    ["http://api.corp/v1", { http_proxy: proxy }],
    ["http://api.corp/v1", { HTTP_PROXY: "proxy.corp:3128" }],
    ["http://api.corp/v1", { HTTP_PROXY: "http://other:1", http_proxy: proxy }],
    ["http://api.corp/v1", { HTTP_PROXY: proxy, NO_PROXY: "pi.corp, api.corp:8080, 10.0.0.0/8" }],
  ])("%s is reached through the proxy of %o", (address, env) => {
    expect(proxyFor(address, env)?.origin).toBe(proxy)
  })

  test.each([
    ["http://api.corp/v1", { HTTPS_PROXY: proxy }],
    ["http://api.corp/v1", {}],
    ["http://api.corp/v1", { HTTP_PROXY: "" }],
    ["http://api.corp/v1", { HTTP_PROXY: proxy, NO_PROXY: "*" }],
    ["http://api.corp/v1", { HTTP_PROXY: proxy, no_proxy: "corp" }],
    ["http://api.corp/v1", { HTTP_PROXY: proxy, NO_PROXY: "x, .API.corp" }],
    ["http://api.corp/v1", { HTTP_PROXY: proxy, NO_PROXY: "*.corp" }],
    ["http://api.corp:8080/v1", { HTTP_PROXY: proxy, NO_PROXY: "api.corp:8080" }],
    ["https://api.corp/v1", { HTTP_PROXY: proxy, NO_PROXY: "api.corp:443" }],
    ["http://10.1.2.3/v1", { HTTP_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }],
    ["http://[fd00::1]/v1", { HTTP_PROXY: proxy, NO_PROXY: "fd00::/8" }],
    ["http://[fd00::1]/v1", { HTTP_PROXY: proxy, NO_PROXY: "fd00::1" }],
    ["http://127.0.0.1:8080", { HTTP_PROXY: proxy }],
    ["http://127.8.0.1", { HTTP_PROXY: proxy }],
    ["http://localhost:1", { HTTP_PROXY: proxy }],
    ["https://[::1]:1", { HTTPS_PROXY: proxy }],
  ])("%s is reached directly with %o", (address, env) => {
    expect(proxyFor(address, env)).toBeUndefined()
  })

  test("an unusable address is refused without its password", () => {
    const read = () => proxyFor("https://api.corp", { HTTPS_PROXY: "socks5://user:hunter2@proxy" })
    expect(read).toThrow("HTTPS_PROXY: must be the address of an http or https proxy")
  })

  test("the configured proxies are shown without credentials", () => {
    expect(configuredProxies({ HTTPS_PROXY: "http://user:hunter2@proxy.corp:3128" })).toEqual([
      { name: "HTTPS_PROXY", origin: proxy },
    ])
  })
})
