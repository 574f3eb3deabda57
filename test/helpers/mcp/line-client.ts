import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { createInterface } from "node:readline"
import { eventually } from "../eventually.ts"

const launcher = path.resolve(import.meta.dirname, "../../../bin/adjutant.js")

/** The fields of an answer that tests read; the method decides which of them exist. */
export interface LineAnswer {
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly isError?: boolean
    readonly structuredContent?: Readonly<Record<string, unknown>>
    readonly tools?: readonly { readonly name: string }[]
    readonly resources?: readonly { readonly uri: string }[]
    readonly contents?: readonly { readonly text: string }[]
    readonly serverInfo?: { readonly name: string }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/**
 * A client that speaks MCP line by line, so that a test decides when to send each message and sees every
 * notification.
 */
export interface LineClient {
  readonly child: ChildProcess
  /** Sends a request; resolves with its answer. */
  request(method: string, params?: object): { readonly id: number; readonly answer: Promise<LineAnswer> }
  notify(method: string, params?: object): void
  /** Returns the messages of the progress notifications with this token so far. */
  progress(token: string): readonly string[]
  initialize(): Promise<LineAnswer>
  /** Closes its side and waits until the server exits. */
  disconnect(): Promise<number | null>
  kill(): Promise<void>
}

interface Incoming extends LineAnswer {
  readonly id?: number
  readonly params?: { readonly progressToken?: string; readonly message?: string }
}

export const connectLineClient = (place: {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly flags?: readonly string[]
  /** Default: that of the checkout. */
  readonly launcher?: string
}): LineClient => {
  const child = spawn(process.execPath, [place.launcher ?? launcher, "mcp", ...(place.flags ?? [])], {
    cwd: place.cwd,
    env: place.env,
    stdio: ["pipe", "pipe", "ignore"],
  })
  const ended = once(child, "close")
  const waiting = new Map<number, (answer: LineAnswer) => void>()
  const progress: { readonly token: string; readonly message: string }[] = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: Incoming = JSON.parse(line)
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    const { progressToken, message: text = "" } = message.params ?? {}
    if (progressToken !== undefined) progress.push({ token: progressToken, message: text })
  })
  let nextId = 0
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request: LineClient["request"] = (method, params = {}) => {
    const id = (nextId += 1)
    const answer = new Promise<LineAnswer>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return { id, answer }
  }
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  return {
    child,
    request,
    notify: (method, params = {}) => send({ method, params }),
    progress: (token) => progress.filter((each) => each.token === token).map(({ message }) => message),
    initialize: async () => {
      const clientInfo = { name: "line-client", version: "1" }
      const { answer } = request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
      const initialized = await answer
      send({ method: "notifications/initialized" })
      return initialized
    },
    disconnect: async () => {
      child.stdin.end()
      await eventually(isOver, { timeoutMs: 60_000 })
      return child.exitCode
    },
    kill: async () => {
      child.kill("SIGKILL")
      await ended
    },
  }
}
