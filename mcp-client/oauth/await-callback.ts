import { createServer } from "node:http"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { systemCode } from "../../domain/text/error-message.ts"

/** The address of this machine to which a browser returns at the end of a login. */
export interface Callback {
  readonly url: string
  /** The parameters with which the browser returned. Rejects if the wait is given up. */
  readonly returned: Promise<URLSearchParams>
  close(): void
}

const page = (text: string) => `<!doctype html><meta charset="utf-8"><title>Adjutant</title><p>${text}</p>`
const headers = { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer", connection: "close" }

/** Listens for a browser that returns with this state; requests with another one are not taken. */
export const awaitCallback = async (port: number, state: string, signal: AbortSignal): Promise<Callback> => {
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
  // A login that is given up before anybody waits for it is no unhandled rejection.
  promise.catch(() => undefined)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (pathname !== "/callback" || searchParams.get("state") !== state) {
      response.writeHead(400, headers).end(page("This is not the login that Adjutant waits for."))
      return
    }
    response.writeHead(200, headers).end(page("Adjutant has the answer. You can close this page."))
    resolve(searchParams)
  })
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening)
  }).catch((error: unknown) => {
    throw new AdjutantError(
      "port_in_use",
      `port ${port}, to which the browser returns, cannot be used (${systemCode(error) ?? "the system refuses it"}): set oauth.callbackPort of the server to another port`,
      { cause: error },
    )
  })
  const giveUp = (): void => reject(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener("abort", giveUp, { once: true })
  return {
    url: `http://127.0.0.1:${port}/callback`,
    returned: promise,
    close() {
      signal.removeEventListener("abort", giveUp)
      server.close()
      server.closeAllConnections()
    },
  }
}
