import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { assistantSays, type FakeReply, turnOf } from "./fake-model.ts"

/** The session and the tools of one model call. */
export interface HeardCall {
  readonly sessionId: string
  readonly model: string
  readonly tools: readonly string[]
}

export interface HeldModel {
  readonly provider: ModelProvider
  /** Every call that arrived, oldest first. */
  readonly heard: readonly HeardCall[]
  /** Whether a turn of this session is waiting for its reply. */
  isWaiting(sessionId: string): boolean
  /**
   * Answers the waiting turn with a reply, and the following turns with the same reply, `times` in all.
   * Returns false if no turn is waiting.
   */
  say(sessionId: string, reply: FakeReply, times?: number): boolean
}

const usage = { inputTokens: 500, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Creates a model whose turns wait until the test sends their reply. A retried turn gets the same reply. */
export const heldModel = (hear: (call: HeardCall) => void | Promise<void> = () => undefined): HeldModel => {
  const heard: HeardCall[] = []
  const said = new Map<string, FakeReply>()
  const waiting = new Map<string, { readonly turn: number; readonly go: () => void }>()

  const replyTo = (request: ModelRequest, turn: number): Promise<FakeReply> | FakeReply => {
    const sessionId = request.cacheKey
    const key = `${sessionId} ${turn}`
    const known = said.get(key)
    if (known !== undefined) return known
    return new Promise((resolve, reject) => {
      const go = (): void => {
        const reply = said.get(key)
        if (reply !== undefined) resolve(reply)
      }
      waiting.set(sessionId, { turn, go })
      request.signal.addEventListener("abort", () => {
        if (waiting.get(sessionId)?.go === go) waiting.delete(sessionId)
        reject(new Error("aborted"))
      })
    })
  }

  return {
    heard,
    isWaiting: (sessionId) => waiting.has(sessionId),
    say: (sessionId, reply, times = 1) => {
      const turn = waiting.get(sessionId)
      if (turn === undefined) return false
      for (let ahead = 0; ahead < times; ahead += 1) said.set(`${sessionId} ${turn.turn + ahead}`, reply)
      waiting.delete(sessionId)
      turn.go()
      return true
    },
    provider: {
      respond: async (request) => {
        const call = {
          sessionId: request.cacheKey,
          model: request.spec.model,
          tools: request.tools.map(({ name }) => name),
        }
        await hear(call)
        heard.push(call)
        const turn = turnOf(request)
        return { ...assistantSays(await replyTo(request, turn), turn), usage }
      },
    },
  }
}
