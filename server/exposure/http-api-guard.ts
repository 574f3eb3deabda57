import { randomBytes } from "node:crypto"
import { request } from "node:http"

/** A host that the HTTP API answers to, new at each start: `.invalid` resolves nowhere, so no page can have it (RFC 2606). */
export const randomApiHost = (): string => `${randomBytes(16).toString("hex")}.invalid`

const allowedHosts = "frontend.httpAllowedHosts"

/**
 * What closes the server's HTTP API to web pages: it checks neither origin nor content type, so the host is what it can tell a page by. An empty
 * list of hosts would let an empty `Host` pass.
 */
export const apiGuard = (apiHost: string): Readonly<Record<string, boolean | readonly string[]>> => ({
  [allowedHosts]: [apiHost],
  "system.enableNexus": false,
})

/** Whether a server that was started with these arguments has the guard. */
export const hasApiGuard = (args: readonly string[]): boolean => args.some((arg) => arg.startsWith(`${allowedHosts}=`))

/** True where the HTTP API at this port answers a request that names any host at all, as a web page's may. */
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
