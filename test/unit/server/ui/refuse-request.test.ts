import { describe, expect, it } from "vitest"
import { requestRefusal, type RequestHead } from "../../../../server/ui/refuse-request.ts"

interface Given {
  readonly method?: string
  readonly url?: string
  readonly httpVersion?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the headers' own values. */
  readonly hosts?: readonly string[]
}

const own = "127.0.0.1:17002"
const ownOrigin = `http://${own}`

const head = ({ method = "GET", url = "/", httpVersion = "1.1", headers = {}, hosts = [own] }: Given): RequestHead => ({
  method,
  url,
  httpVersion,
  headers: { ...(hosts[0] === undefined ? {} : { host: hosts[0] }), ...headers },
  rawHeaders: [...hosts.flatMap((host) => ["Host", host]), ...Object.entries(headers).flat()],
})

const statusOf = (given: Given) => requestRefusal(head(given))?.status
const linked = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }

describe("refusalOf", () => {
  it.each<[string, Given]>([
    ["a page that a person opens", {}],
    ["the name localhost", { hosts: ["localhost:17002"] }],
    ["a forwarded port", { hosts: ["localhost:40001"] }],
    ["a read of the UI's own page", { url: "/api/v1/namespaces", headers: { "sec-fetch-site": "same-origin" } }],
    ["an address typed by hand", { headers: { "sec-fetch-site": "none" } }],
    ["a link on another site to a page of the UI", { url: "/namespaces/default/workflows", headers: linked }],
    ["a change by the UI's own page", { method: "POST", url: "/api/v1/x", headers: { origin: ownOrigin } }],
  ])("accepts %s", (_, given) => {
    expect(statusOf(given)).toBeUndefined()
  })

  it.each<[string, number, Given]>([
    ["a host whose name was made to point here", 403, { hosts: ["page.example:17002"] }],
    ["a host that begins with the UI's name", 403, { hosts: ["127.0.0.1.page.example"] }],
    ["a host that hides another one", 403, { hosts: ["page.example@127.0.0.1:17002"] }],
    ["an empty host", 403, { hosts: [""] }],
    ["no host", 403, { hosts: [] }],
    ["two hosts", 403, { hosts: [own, "page.example"] }],
    ["HTTP/1.0", 505, { httpVersion: "1.0" }],
    ["a path with a server in front", 400, { url: "http://127.0.0.1:17002/api/v1/namespaces" }],
    ["a preflight", 405, { method: "OPTIONS", headers: { origin: "http://page.example" } }],
    ["TRACE", 405, { method: "TRACE" }],
    ["a change by a page of another origin", 403, { method: "POST", headers: { origin: "http://page.example" } }],
    ["a change by a page of another port", 403, { method: "POST", headers: { origin: "http://127.0.0.1:8000" } }],
    ["a change by a page without an origin", 403, { method: "POST", headers: { origin: "null" } }],
    ["a change that names no origin", 403, { method: "POST" }],
    ["a deletion that names no origin", 403, { method: "DELETE" }],
    ["a read by a page of another origin", 403, { headers: { origin: "http://page.example" } }],
    ["an image on another site", 403, { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } }],
    [
      "a frame on another port",
      403,
      { headers: { ...linked, "sec-fetch-site": "same-site", "sec-fetch-dest": "iframe" } },
    ],
    ["a link on another site to the API", 403, { url: "/api/v1/namespaces", headers: linked }],
    ["a link on another site to the API, in another spelling", 403, { url: "//API/v1/namespaces", headers: linked }],
    ["a link on another site to a page with its own text", 403, { url: "/render?content=x", headers: linked }],
    ["a form on another site", 403, { method: "POST", headers: { ...linked, origin: "null" } }],
  ])("rejects %s", (_, status, given) => {
    expect(statusOf(given)).toBe(status)
  })
})
