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

/** Returns the fields of a form, whose values can be JSON. */
const formOf = (text: string): unknown =>
  Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, /^[[{]/.test(value) ? jsonOf(value) : value]),
  )

/** What happens to a request before it is answered: a failure, or an effect whose answer is lost. */
type Failure = Answer | "lost"

/** A server that speaks the protocol of a service: `respond` answers as the service documents it, and `failures` come first. */
const startService = async (respond: (request: ServiceRequest) => Answer) => {
  const requests: ServiceRequest[] = []
  const failures: Failure[] = []
  const answerTo = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(incoming)
    const { method = "", url: path = "", headers } = incoming
    const body = headers["content-type"]?.includes("form-urlencoded") === true ? formOf(text) : jsonOf(text)
    const request = { method, path, authorization: headers.authorization, text, body }
    requests.push(request)
    const isWrite = method !== "GET" && !/getUpdates|answerCallbackQuery|conversations|auth\.test/.test(path)
    const failure = isWrite ? failures.shift() : undefined
    const answer = failure === undefined || failure === "lost" ? respond(request) : failure
    if (failure === "lost") {
      incoming.socket.destroy()
      return
    }
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

interface SlackMessage {
  readonly text: string
  readonly thread: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at blocks of any shape
  readonly blocks: any
  readonly metadata: unknown
}

/** Starts Slack's Web API: arguments are forms, and every answer has status 200 and `ok`, except that of a rate limit. */
export const startSlack = async ({ scopes = "chat:write,channels:history", isMember = true } = {}) => {
  const messages = new Map<string, SlackMessage>()
  const refused = (error: string) => ({ body: { ok: false, error } })
  const read = (only: (ts: string, message: SlackMessage) => boolean) => {
    if (!scopes.includes("channels:history")) return refused("missing_scope")
    const found = [...messages].filter(([ts, message]) => only(ts, message))
    return { body: { ok: true, messages: found.map(([ts, { text, metadata }]) => ({ ts, text, metadata })) } }
  }
  /** What single people were told, who pressed a button. */
  const told: string[] = []
  const service = await startService(({ path, body, authorization }) => {
    if (path === "/actions/reply") {
      told.push(body.text)
      return { text: "ok" }
    }
    if (authorization !== "Bearer xoxb-token") return refused("invalid_auth")
    const { ts: of, thread_ts: thread, text, blocks, metadata } = body
    if (path === "/api/auth.test") return { headers: { "x-oauth-scopes": scopes }, body: { ok: true } }
    if (path === "/api/conversations.info")
      return { body: { ok: true, channel: { id: body.channel, is_member: isMember } } }
    if (path === "/api/conversations.history") return read((_, message) => message.thread === undefined)
    if (path === "/api/conversations.replies") return read((ts, message) => ts === of || message.thread === of)
    if (
      blocks.length > 50 ||
      blocks.some((block: { text?: { text: string } }) => (block.text?.text.length ?? 0) > 3_000)
    )
      return refused("invalid_blocks")
    if (path === "/api/chat.update") {
      const before = messages.get(of)
      if (before === undefined) return refused("message_not_found")
      messages.set(of, { ...before, text, blocks })
      return { body: { ok: true, channel: body.channel, ts: of, text } }
    }
    if (path !== "/api/chat.postMessage") return refused("unknown_method")
    const ts = `1700000000.${String(messages.size + 1).padStart(6, "0")}`
    messages.set(ts, { text, thread, blocks, metadata })
    return { body: { ok: true, channel: body.channel, ts, message: {} } }
  })
  return { ...service, apiUrl: `${service.url}/api`, messages, told, replyUrl: `${service.url}/actions/reply` }
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
    if (authorization !== "token gh-token") return { status: 401, body: { message: "Bad credentials" } }
    const { pathname } = new URL(path, "http://github")
    const id = Number(/\/issues\/comments\/(\d+)$/.exec(pathname)?.[1] ?? Number.NaN)
    if (method === "GET" && pathname === "/repos/acme/shop") return { body: { archived: false } }
    if (!Number.isNaN(id) ? !comments.has(id) : !/^\/repos\/acme\/shop\/issues\/7(\/comments)?$/.test(pathname))
      return { status: 404, body: { message: "Not Found" } }
    if (method === "GET") return { body: [...comments].map(([each, text]) => ({ id: each, body: text })) }
    if (body.body.length > 65_536) return { status: 422, body: { message: "Validation Failed" } }
    const written = method === "POST" ? 900 + comments.size : id
    comments.set(written, body.body)
    return { status: method === "POST" ? 201 : 200, body: { id: written } }
  })
  return { ...service, comments }
}
