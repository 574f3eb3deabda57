import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { onTestFinished } from "vitest"

export interface Received {
  readonly id: string
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- tests look at bodies of any shape
  readonly headers: IncomingMessage["headers"]
}

export interface Receiver {
  readonly url: string
  /** Every request with a valid signature, repetitions included. */
  readonly requests: readonly Received[]
  /** The requests that a receiver that honours ids treats as new. */
  readonly effects: readonly Received[]
  /** The number of requests with an invalid signature. */
  readonly countForged: () => number
}

/** A receiver that runs until it is closed. */
export interface OpenReceiver extends Receiver {
  close(): Promise<void>
}

/** Answers a request with a status, with headers, or not at all. `count` numbers the requests from 1. */
export type Answer = (
  count: number,
  received: Received,
) => number | "silence" | { readonly status: number; readonly headers: Readonly<Record<string, string>> }

export const receiverSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Starts a receiver that verifies signatures and processes each id once, whatever it answers. */
export const openReceiver = async (answer: Answer = () => 204): Promise<OpenReceiver> => {
  const requests: Received[] = []
  const effects = new Map<string, Received>()
  let forged = 0
  const webhook = new Webhook(receiverSecret)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request)
    const id = String(request.headers["webhook-id"])
    try {
      webhook.verify(text, request.headers as Record<string, string>)
    } catch {
      forged += 1
      response.writeHead(401).end()
      return
    }
    const received = { id, body: JSON.parse(text), headers: request.headers }
    requests.push(received)
    const said = answer(requests.length, received)
    const status = said === "silence" ? 200 : typeof said === "number" ? said : said.status
    // It processes what it answers with success, and also what it never answers.
    if (status < 300 && !effects.has(id)) effects.set(id, received)
    if (said === "silence") return
    response.writeHead(status, typeof said === "number" ? {} : said.headers).end()
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    get effects() {
      return [...effects.values()]
    },
    countForged: () => forged,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts a receiver that is closed when the test has finished. */
export const startReceiver = async (answer?: Answer): Promise<Receiver> => {
  const receiver = await openReceiver(answer)
  onTestFinished(() => receiver.close())
  return receiver
}
