// Receives Adjutant's outbound webhooks, and rejects any other request. Needs neither Temporal nor a store:
//   node --conditions=adjutant-source examples/library/receive-webhook.ts       (in a checkout)
//   node receive-webhook.ts                                                     (with the package installed)
// A receiver on the network must also check the signature (Standard Webhooks) before it reads the body.
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { type OutboundWebhook, outboundWebhookSchema } from "adjutant/contracts"

const headline = ({ type, session, pause, result }: OutboundWebhook): string =>
  type === "run-paused"
    ? `${session.title ?? session.id} waits: ${pause?.summary ?? ""}`
    : `${session.title ?? session.id} ended: ${result?.status ?? session.status}`

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const parsed = outboundWebhookSchema.safeParse(parseJson(await text(request)))
  if (parsed.success) console.log(headline(parsed.data))
  response.writeHead(parsed.success ? 204 : 400)
  response.end(parsed.success ? undefined : parsed.error.issues[0]?.message)
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy())
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
if (address === null || typeof address === "string") throw new Error("the server has no port")
const url = `http://127.0.0.1:${address.port}`

const sample = await readFile(`${import.meta.dirname}/run-paused.json`, "utf8")
for (const body of [sample, '{"type": "run-exploded"}']) {
  const answer = await fetch(url, { method: "POST", body })
  console.log(answer.status)
}
server.close()
