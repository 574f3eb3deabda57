import { expect, test } from "vitest"
import { examineProxies } from "../../../../cli/doctor/examine.ts"

test("doctor names the proxies in use, without their credentials", () => {
  expect(examineProxies({ HTTPS_PROXY: "http://ana:secret@proxy.corp:3128", NO_PROXY: ".corp" })).toEqual([
    { name: "proxies", status: "ok", detail: "HTTPS_PROXY: http://proxy.corp:3128; without a proxy: loopback, .corp" },
  ])
  expect(examineProxies({})).toEqual([])
})

test("doctor fails for a proxy that cannot be used", () => {
  expect(examineProxies({ http_proxy: "socks5://ana:secret@proxy.corp" })).toEqual([
    {
      name: "proxies",
      status: "fail",
      detail: "http_proxy: must be the address of an http or https proxy",
      hint: "correct the environment variable",
    },
  ])
})
