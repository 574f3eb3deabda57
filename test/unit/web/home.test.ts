import { describe, expect, it } from "vitest"
import { costToday, failedSince, runningNow } from "../../../web/home/today.ts"
import { session, usage } from "../cli/stub-environment.ts"

const nowMs = new Date(2026, 10, 21, 12).getTime()
const at = (hoursAgo: number): string => new Date(nowMs - hoursAgo * 3_600_000).toISOString()

describe("the home of the page", () => {
  it("shows the tasks that failed within a day, the newest first, without sub-agents", () => {
    const all = [
      session({ id: "old", status: "failed", updated_at: at(25) }),
      session({ id: "first", status: "failed", updated_at: at(5) }),
      session({ id: "child", status: "failed", updated_at: at(2), parent_session_id: "first" }),
      session({ id: "late", status: "timed_out", updated_at: at(1) }),
      session({ id: "fine", status: "completed", updated_at: at(1) }),
    ]
    expect(failedSince(all, nowMs).map(({ id }) => id)).toEqual(["late", "first"])
  })

  it("shows what runs, but no task that waits for a person", () => {
    const all = [
      session({ id: "runs", status: "running" }),
      session({ id: "asks", status: "running" }),
      session({ id: "child", status: "running", parent_session_id: "runs" }),
      session({ id: "empty", status: "pending" }),
    ]
    expect(runningNow(all, new Set(["asks"])).map(({ id }) => id)).toEqual(["runs"])
  })

  it("adds up what the sessions of today cost, and says if it is more", () => {
    const all = [
      session({ created_at: at(1), usage: { ...usage, cost_usd: 0.5 } }),
      session({ created_at: at(2), usage: { ...usage, cost_usd: 0.25 } }),
      session({ created_at: at(20), usage: { ...usage, cost_usd: 8 } }),
    ]
    expect(costToday(all, nowMs, true)).toEqual({ usd: 0.75, sessions: 2, isLeast: false })
    expect(costToday(all.slice(0, 2), nowMs, true).isLeast).toBe(true)
    const unknown = session({ created_at: at(1), usage: { ...usage, cost_usd: null } })
    expect(costToday([...all, unknown], nowMs, false).isLeast).toBe(true)
  })
})
