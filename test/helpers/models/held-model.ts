import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { createAssistantReply, type FakeReply, countTurn } from "./fake-model.ts"

/** The session and the tools of one model call. */
export interface RecordedCall {
  readonly sessionId: string
  readonly model: string
  readonly tools: readonly string[]
}

export interface HeldModel {
  readonly provider: ModelProvider
  /** Every call that arrived, oldest first. */
  readonly calls: readonly RecordedCall[]
  /** Whether a turn of this session is waiting for its reply. */
  isWaiting(sessionId: string): boolean
  /**
   * Answers the waiting turn with a reply, and the following turns with the same reply, `times` in all.
   * Returns false if no turn is waiting.
   */
  reply(sessionId: string, reply: FakeReply, times?: number): boolean
}

const usage = { inputTokens: 500, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Creates a model whose turns wait until the test sends their reply. A retried turn gets the same reply. */
export const createHeldModel = (onCall: (call: RecordedCall) => void | Promise<void> = () => undefined): HeldModel => {
  const calls: RecordedCall[] = []
  const replies = new Map<string, FakeReply>()
  const waiting = new Map<string, { readonly turn: number; readonly answer: () => void }>()

  const replyTo = (request: ModelRequest, turn: number): Promise<FakeReply> | FakeReply => {
    const sessionId = request.cacheKey
    const key = `${sessionId} ${turn}`
    const known = replies.get(key)
    if (known !== undefined) return known
    return new Promise((resolve, reject) => {
      const answer = (): void => {
        const reply = replies.get(key)
        if (reply !== undefined) resolve(reply)
      }
      waiting.set(sessionId, { turn, answer })
      request.signal.addEventListener("abort", () => {
        if (waiting.get(sessionId)?.answer === answer) waiting.delete(sessionId)
        reject(new Error("aborted"))
      })
    })
  }

  return {
    calls,
    isWaiting: (sessionId) => waiting.has(sessionId),
    reply: (sessionId, reply, times = 1) => {
      const turn = waiting.get(sessionId)
      if (turn === undefined) return false
      for (let ahead = 0; ahead < times; ahead += 1) replies.set(`${sessionId} ${turn.turn + ahead}`, reply)
      waiting.delete(sessionId)
      turn.answer()
      return true
    },
    provider: {
      respond: async (request) => {
        const call = {
          sessionId: request.cacheKey,
          model: request.spec.model,
          tools: request.tools.map(({ name }) => name),
        }
        await onCall(call)
        calls.push(call)
        const turn = countTurn(request)
        return { ...createAssistantReply(await replyTo(request, turn), turn), usage }
      },
    },
  }
}
