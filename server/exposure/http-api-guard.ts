import { randomBytes } from "node:crypto"
import { request } from "node:http"

/** Returns a random host name. Names under `.invalid` never resolve (RFC 2606), so no web page can have it. */
export const randomApiHost = (): string => `${randomBytes(16).toString("hex")}.invalid`

const allowedHosts = "frontend.httpAllowedHosts"

/**
 * Returns the dynamic configuration that makes the server's HTTP API inaccessible to web pages. The API checks neither origin nor content type, only
 * the host. An empty list of hosts would accept an empty `Host`.
 */
export const apiGuard = (apiHost: string): Readonly<Record<string, boolean | readonly string[]>> => ({
  [allowedHosts]: [apiHost],
  "system.enableNexus": false,
})

/** Returns whether the HTTP API at a port answers a request with an arbitrary host, such as a web page could send. */
export const answersAnyHost = (port: number, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = request(
      {
        host: "127.0.0.1",
        port,
        path: "/api/v1/namespaces",
        headers: { host: "page.invalid" },
        timeout: timeoutMs,
        agent: false,
      },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode !== 403)
      },
    )
    probe.once("timeout", () => probe.destroy())
    probe.once("error", () => resolve(false))
    probe.end()
  })
