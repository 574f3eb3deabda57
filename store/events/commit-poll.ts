import type { Database } from "../database/database.ts"

/** Creates a poll that calls `onCommit` when another process has committed, one call at a time, and `onFailure` if that rejects. */
export const createCommitPoll = (
  database: Pick<Database, "changeCounter">,
  intervalMs: number,
  { onCommit, onFailure }: { readonly onCommit: () => Promise<void>; readonly onFailure: () => void },
) => {
  let timer: NodeJS.Timeout | undefined
  let seenCounter = 0
  let polling = false

  const poll = async (): Promise<void> => {
    if (polling) return
    polling = true
    try {
      const counter = database.changeCounter()
      if (counter === seenCounter) return
      seenCounter = counter
      await onCommit()
    } catch {
      onFailure()
    } finally {
      polling = false
    }
  }

  return {
    start: () => {
      if (timer !== undefined) return
      seenCounter = database.changeCounter()
      timer = setInterval(() => void poll(), intervalMs)
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
  }
}
