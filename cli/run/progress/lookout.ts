import { noWaits, type RunWaits } from "./run-waits.ts"

/** The time without an event before the first question, and the longest time between two. Each question costs reads of the store and of Temporal. */
const firstLookMs = 2_000
const longestLookMs = 10_000

/** Asks what the run waits for while no event comes, at growing intervals. The answer is shown until the next event. */
export const createLookout = (find: () => Promise<RunWaits>) => {
  let found = noWaits
  let silence = {}
  let isAsking = false
  let waitMs = firstLookMs
  let nextMs = Date.now() + waitMs
  const look = async (): Promise<void> => {
    const before = silence
    // Followers of the events report what fails; the status does without.
    const answer = await find().catch(() => noWaits)
    isAsking = false
    waitMs = Math.min(waitMs * 2, longestLookMs)
    nextMs = Date.now() + waitMs
    if (silence === before) found = answer
  }
  return {
    found: () => found,
    lookIfDue: (): void => {
      if (isAsking || Date.now() < nextMs) return
      isAsking = true
      void look()
    },
    endSilence: (): void => {
      silence = {}
      found = noWaits
      waitMs = firstLookMs
      nextMs = Date.now() + waitMs
    },
  }
}
