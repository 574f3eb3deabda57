import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createCommitPoll } from "../../../../store/events/commit-poll.ts"

const intervalMs = 10

const pollOf = (onCommit: () => Promise<void>) => {
  const database = { committed: 0, changeCounter: () => database.committed }
  const onFailure = vi.fn<() => void>()
  return { database, onFailure, poll: createCommitPoll(database, intervalMs, { onCommit, onFailure }) }
}

describe("createCommitPoll", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("reports each commit of another process once", async () => {
    const onCommit = vi.fn<() => Promise<void>>(async () => {})
    const { database, poll } = pollOf(onCommit)
    poll.start()
    await vi.advanceTimersByTimeAsync(3 * intervalMs)
    expect(onCommit).not.toHaveBeenCalled()
    database.committed += 1
    await vi.advanceTimersByTimeAsync(3 * intervalMs)
    expect(onCommit).toHaveBeenCalledTimes(1)
    poll.stop()
  })

  it("checks nothing while a report is being processed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const onCommit = vi.fn<() => Promise<void>>(() => promise)
    const { database, poll } = pollOf(onCommit)
    poll.start()
    database.committed += 1
    await vi.advanceTimersByTimeAsync(intervalMs)
    database.committed += 1
    await vi.advanceTimersByTimeAsync(3 * intervalMs)
    expect(onCommit).toHaveBeenCalledTimes(1)
    resolve()
    await vi.advanceTimersByTimeAsync(intervalMs)
    expect(onCommit).toHaveBeenCalledTimes(2)
    poll.stop()
  })

  it("reports a failure, and continues", async () => {
    const onCommit = vi.fn<() => Promise<void>>(async () => {
      throw new Error("the disk is away")
    })
    const { database, onFailure, poll } = pollOf(onCommit)
    poll.start()
    for (let commit = 0; commit < 2; commit += 1) {
      database.committed += 1
      await vi.advanceTimersByTimeAsync(intervalMs)
    }
    expect(onFailure).toHaveBeenCalledTimes(2)
    poll.stop()
  })

  it("reports nothing that was committed while it was stopped", async () => {
    const onCommit = vi.fn<() => Promise<void>>(async () => {})
    const { database, poll } = pollOf(onCommit)
    poll.start()
    poll.stop()
    database.committed += 1
    poll.start()
    await vi.advanceTimersByTimeAsync(3 * intervalMs)
    expect(onCommit).not.toHaveBeenCalled()
    poll.stop()
  })
})
