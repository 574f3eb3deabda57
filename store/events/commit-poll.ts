import type { Database } from "../database/database.ts"

/** Creates a poll that calls `onCommit` when another process has committed, one call at a time, and `onFailure` if that rejects. */
export const createCommitPoll = (
  database: Pick<Database, "version">,
  intervalMs: number,
  { onCommit, onFailure }: { readonly onCommit: () => Promise<void>; readonly onFailure: () => void },
) => {
  let timer: NodeJS.Timeout | undefined
  let seenVersion = 0
  let polling = false

  const poll = async (): Promise<void> => {
    if (polling) return
    polling = true
    try {
      const version = database.version()
      if (version === seenVersion) return
      seenVersion = version
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
      seenVersion = database.version()
      timer = setInterval(() => void poll(), intervalMs)
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
  }
}
