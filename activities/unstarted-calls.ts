/** The place of a call in a transcript. */
interface CallPlace {
  readonly sessionId: string
  readonly assistantSeq: number
  readonly callId: string
}

/**
 * The quick calls of the answers that this process has written, until it starts them. Nobody can have started such a call before, unless another worker got
 * the workflow in between, so its start needs no record: the process ends with its memory, and every later start is counted.
 */
export interface UnstartedCalls {
  add(call: CallPlace): void
  /** Returns whether the call is one of them, and forgets it. */
  take(call: CallPlace): boolean
}

/** Calls that another worker started are never taken. One that is forgotten is claimed when it starts, like all others. */
const capacity = 1_000

const unstartedKey = ({ sessionId, assistantSeq, callId }: CallPlace): string =>
  JSON.stringify([sessionId, assistantSeq, callId])

export const createUnstartedCalls = (): UnstartedCalls => {
  const keys = new Set<string>()
  return {
    add(call) {
      keys.add(unstartedKey(call))
      const [oldest] = keys
      if (keys.size > capacity && oldest !== undefined) keys.delete(oldest)
    },
    take: (call) => keys.delete(unstartedKey(call)),
  }
}
