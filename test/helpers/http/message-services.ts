import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A request as a service received it. */
export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at bodies of any shape
  readonly body: any
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Sent instead of a JSON body. */
  readonly text?: string
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString("utf8")
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A server that speaks the protocol of a service: `respond` answers as the service documents it, and `failures` come first. */
const startService = async (respond: (request: ServiceRequest) => Answer) => {
  const requests: ServiceRequest[] = []
  const failures: Answer[] = []
  const answerTo = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(incoming)
    const { method = "", url: path = "", headers } = incoming
    const request = { method, path, authorization: headers.authorization, text, body: jsonOf(text) }
    requests.push(request)
    const isWrite = method !== "GET" && !path.endsWith("/getUpdates") && !path.endsWith("/answerCallbackQuery")
    const answer = (isWrite ? failures.shift() : undefined) ?? respond(request)
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers })
    response.end(answer.text ?? JSON.stringify(answer.body ?? {}))
  }
  const server = createServer((incoming, response) => void answerTo(incoming, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, failures }
}

/** Starts ntfy: JSON is published to the root, text to a topic, and a topic is polled as one JSON object a line. */
export const startNtfy = async () => {
  const cached: { topic: string; id: string; message: string }[] = []
  const publish = (topic: string, message: string) => {
    cached.push({ topic, id: `m${cached.length + 1}`, message })
    return { body: { id: `m${cached.length}`, event: "message", topic, message } }
  }
  const service = await startService(({ method, path, text, body }) => {
    const { pathname, searchParams } = new URL(path, "http://ntfy")
    if (method === "GET") {
      const [, topic = ""] = pathname.split("/")
      const after = cached.findIndex(({ id }) => id === searchParams.get("since"))
      const lines = cached.slice(after + 1).filter((each) => each.topic === topic)
      return { text: lines.map((each) => `${JSON.stringify({ ...each, event: "message" })}\n`).join("") }
    }
    return pathname === "/" ? publish(body.topic, body.message) : publish(pathname.slice(1), text)
  })
  return {
    ...service,
    /** What the topic's readers see. */
    published: (topic: string) =>
      service.requests.flatMap(({ method, path, body }) =>
        method === "POST" && path === "/" && body.topic === topic ? [body] : [],
      ),
    /** Presses a button of a message, as the phone does: it has no token. */
    press: (
      message: { readonly actions: readonly { label: string; url: string; method: string; body: string }[] },
      label: string,
    ) => {
      const button = message.actions.find((each) => each.label === label)
      if (button === undefined) throw new Error(`no button ${label}`)
      return fetch(button.url, { method: button.method, body: button.body })
    },
  }
}

/** Starts Slack's Web API: every answer has status 200 and `ok`, except that of a rate limit. */
export const startSlack = async () => {
  const messages = new Map<string, { text: string; thread: string | undefined; blocks: unknown }>()
  const service = await startService(({ path, body, authorization }) => {
    if (authorization !== "Bearer xoxb-token") return { body: { ok: false, error: "invalid_auth" } }
    if (body.blocks.length > 50) return { body: { ok: false, error: "invalid_blocks" } }
    if (path === "/api/chat.update") {
      const before = messages.get(body.ts)
      if (before === undefined) return { body: { ok: false, error: "message_not_found" } }
      messages.set(body.ts, { ...before, text: body.text, blocks: body.blocks })
      return { body: { ok: true, channel: body.channel, ts: body.ts, text: body.text } }
    }
    const ts = `1700000000.${String(messages.size + 1).padStart(6, "0")}`
    messages.set(ts, { text: body.text, thread: body.thread_ts, blocks: body.blocks })
    return { body: { ok: true, channel: body.channel, ts, message: {} } }
  })
  return { ...service, apiUrl: `${service.url}/api`, messages }
}

/** Starts Telegram's Bot API: updates are kept until their offset is passed. */
export const startTelegram = async () => {
  const updates: { update_id: number; callback_query: object }[] = []
  const messages = new Map<number, { text: string; keyboard: unknown }>()
  const answers: string[] = []
  const service = await startService(({ path, body }) => {
    const method = path.split("/").at(-1)
    const refused = (code: number, description: string) => ({
      status: code,
      body: { ok: false, error_code: code, description },
    })
    if (!path.startsWith("/bottg-token/")) return refused(401, "Unauthorized")
    if (method === "getUpdates") {
      const result = updates.filter(({ update_id: id }) => id >= body.offset)
      return { body: { ok: true, result } }
    }
    if (method === "answerCallbackQuery") {
      answers.push(body.text)
      return { body: { ok: true, result: true } }
    }
    if (body.text.length > 4_096) return refused(400, "Bad Request: message is too long")
    const id = method === "editMessageText" ? body.message_id : messages.size + 1
    if (method === "editMessageText" && !messages.has(id)) return refused(400, "Bad Request: message to edit not found")
    messages.set(id, { text: body.text, keyboard: body.reply_markup })
    return { body: { ok: true, result: { message_id: id, text: body.text } } }
  })
  return {
    ...service,
    messages,
    answers,
    /** Presses a button of a message, as the Telegram user `userId`. */
    press: (messageId: number, userId: number, action: "accept" | "reject") => {
      const keyboard = JSON.stringify(messages.get(messageId)?.keyboard)
      const data = new RegExp(`${action} dlv_[0-9a-f]+`).exec(keyboard)?.[0]
      const message = { message_id: messageId, chat: { id: 123 } }
      const query = { id: `q${updates.length + 1}`, from: { id: userId }, message, data }
      updates.push({ update_id: 100 + updates.length, callback_query: query })
    },
  }
}

/** Starts GitHub's REST API for comments. */
export const startGithub = async () => {
  const comments = new Map<number, string>()
  const service = await startService(({ method, path, body, authorization }) => {
    if (authorization !== "Bearer gh-token") return { status: 401, body: { message: "Bad credentials" } }
    if (method === "POST") {
      const id = 900 + comments.size
      comments.set(id, body.body)
      return { status: 201, body: { id } }
    }
    const id = Number(path.split("/").at(-1))
    if (!comments.has(id)) return { status: 404, body: { message: "Not Found" } }
    comments.set(id, body.body)
    return { status: 200, body: { id } }
  })
  return { ...service, comments }
}
