import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client"

/** Answers a question that a server asks during a call. Only servers with older protocols do this; newer ones return the question as a result. */
export type Elicit = (question: ElicitRequestParams) => ElicitResult

/** Assigns a server's questions to calls. Calls run concurrently until a question could belong to several of them; from then on, one at a time. */
export interface CallTurns {
  answer(question: ElicitRequestParams): ElicitResult
  /** Runs the call. If calls run one at a time, waits for the calls before it. */
  inTurn<T>(call: () => Promise<T>): Promise<T>
  /** Runs the request of a call. Questions that arrive until it ends may belong to it. */
  askedDuring<T>(elicit: Elicit, request: () => Promise<T>): Promise<T>
}

export const createCallTurns = (): CallTurns => {
  const inFlight = new Set<Elicit>()
  let lastTurn: Promise<unknown> | undefined
  return {
    answer(question) {
      const [only] = inFlight
      if (inFlight.size === 1 && only !== undefined) return only(question)
      lastTurn ??= Promise.resolve()
      return { action: "cancel" }
    },
    inTurn(call) {
      if (lastTurn === undefined) return call()
      const turn = lastTurn.then(call, call)
      lastTurn = turn.catch(() => undefined)
      return turn
    },
    async askedDuring(elicit, request) {
      inFlight.add(elicit)
      try {
        return await request()
      } finally {
        inFlight.delete(elicit)
      }
    },
  }
}
