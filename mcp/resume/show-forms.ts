import { setTimeout as delay } from "node:timers/promises"
import type { InputRequests, McpServer, ServerContext } from "@modelcontextprotocol/server"
import { isFinal } from "../../domain/run/is-final.ts"
import type { McpContext, ClientToolCall, ToolReply } from "../mcp-context.ts"
import { parseRequestKey } from "./pause-requests.ts"

/** How often a question is checked while its form is open. */
const checkMs = 250
/** How long a person may take for one form. */
const answerTimeoutMs = 86_400_000
const maxRounds = 1_000

/** Returns whether a question still waits for an answer. */
const isOpenQuestion = async ({ store }: Pick<McpContext, "store">, key: string): Promise<boolean> => {
  const { checkpointId, callId } = parseRequestKey(key)
  const pause = await store.pauses.byCheckpoint(checkpointId)
  if (pause === undefined || pause.closedAt !== null) return false
  const row = await store.sessions.get(pause.sessionId)
  if (row === undefined || isFinal(row.status)) return false
  return callId === undefined || pause.calls.some(({ id }) => id === callId)
}

/** Resolves when a question is no longer open: its call was decided, or its pause has ended. */
const untilDecided = async (context: McpContext, key: string, signal: AbortSignal): Promise<void> => {
  // A store that cannot be read decides nothing.
  while (await isOpenQuestion(context, key).catch(() => true)) await delay(checkMs, undefined, { signal })
}

type Request = InputRequests[string]

/** Shows a form to the person at the client. Aborting the signal withdraws it. */
type SendForm = (request: Request, signal: AbortSignal) => Promise<unknown>

const sendForm =
  (mcp: McpServer, ctx: ServerContext): SendForm =>
  async (request, signal) =>
    await mcp.server.request(request, { signal, timeout: answerTimeoutMs, relatedRequestId: ctx.mcpReq.id })

/** What one call needs to show its forms. */
interface Asking {
  readonly context: McpContext
  readonly call: ClientToolCall
  readonly send: SendForm
}

/** Returns the answer to a form; undefined if it was withdrawn, since the question has been answered by other means. */
const askOne = async ({ context, call, send }: Asking, key: string, request: Request): Promise<unknown> => {
  const answered = new AbortController()
  const withdrawn = new AbortController()
  void untilDecided(context, key, AbortSignal.any([call.signal, answered.signal])).then(
    () => withdrawn.abort("the question has been answered elsewhere"),
    () => undefined,
  )
  try {
    return await send(request, AbortSignal.any([call.signal, withdrawn.signal]))
  } catch (error) {
    if (call.signal.aborted) throw error
    return withdrawn.signal.aborted ? undefined : { action: "cancel" }
  } finally {
    answered.abort()
  }
}

/**
 * Returns a function that continues a call until it no longer asks, for clients of older protocol revisions, to which the server sends each form
 * itself. A form is withdrawn when its question is answered elsewhere, and one that another call of the connection shows is not shown again.
 */
export const createForms = (mcp: McpServer) => {
  /** The questions that are shown, until the answers have been applied. */
  const shown = new Map<string, Promise<void>>()

  const askAll = async (asking: Asking, requests: InputRequests, own: ReadonlySet<string>) => {
    const answers = await Promise.all(
      Object.entries(requests).map(async ([key, request]): Promise<readonly (readonly [string, unknown])[]> => {
        const elsewhere = own.has(key) ? undefined : shown.get(key)
        if (elsewhere === undefined) {
          const answer = await askOne(asking, key, request)
          return answer === undefined ? [] : [[key, answer]]
        }
        const stop = new AbortController()
        const { context, call } = asking
        const decided = untilDecided(context, key, AbortSignal.any([call.signal, stop.signal]))
        await Promise.race([elsewhere, decided]).finally(() => stop.abort())
        await decided.catch(() => undefined)
        call.signal.throwIfAborted()
        return []
      }),
    )
    return Object.fromEntries(answers.flat())
  }

  /** Marks the questions as shown that no other call shows. Returns them with a function that ends that. */
  const claim = (requests: InputRequests) => {
    const own = new Set(Object.keys(requests).filter((key) => !shown.has(key)))
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const key of own) shown.set(key, promise)
    const release = (): void => {
      for (const key of own) shown.delete(key)
      resolve()
    }
    return { own, release }
  }

  return async (
    context: McpContext,
    first: ClientToolCall,
    { ctx, handle }: { readonly ctx: ServerContext; readonly handle: (call: ClientToolCall) => Promise<ToolReply> },
  ): Promise<ToolReply> => {
    let reply = await handle(first)
    for (let round = 1; reply.kind === "ask" && round < maxRounds; round += 1) {
      const { requests, state } = reply
      const { own, release } = claim(requests)
      try {
        const inputResponses = await askAll({ context, call: first, send: sendForm(mcp, ctx) }, requests, own)
        reply = await handle({ ...first, inputResponses, requestState: state })
      } finally {
        release()
      }
    }
    return reply
  }
}
