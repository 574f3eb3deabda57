import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client"

/** Answers what a server asks during a call. Only servers of older protocols ask so; newer ones answer the call with their question. */
export type Elicit = (question: ElicitRequestParams) => ElicitResult

/** Assigns a server's questions to calls. Calls run side by side until a question comes that could belong to several: from then on one at a time. */
export interface CallTurns {
  answer(question: ElicitRequestParams): ElicitResult
  /** Runs the call, after the calls before it where each needs a turn. */
  inTurn<T>(call: () => Promise<T>): Promise<T>
  /** Runs the request of a call; questions meanwhile may belong to it. */
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
