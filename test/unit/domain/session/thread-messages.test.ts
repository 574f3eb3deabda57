import { describe, expect, it } from "vitest"
import type { ChildState } from "../../../../domain/limits/child-state.ts"
import {
  acceptMessage,
  isAskedInThread,
  type MessageState,
  takeThreadMessages,
} from "../../../../domain/session/accept-message.ts"
import type { SessionMessage } from "../../../../domain/session/session-message.ts"
import { newRun, type SessionState } from "../../../../domain/session/session-state.ts"
import { sessionState } from "../session-state-builder.ts"

const child = (status: ChildState["status"]): ChildState => ({
  ...{ id: "c", ordinal: 1, label: null, agent: "general", use: "background", runId: "rc", stopReason: null },
  ...{ status, reserved: { microUsd: null, tokens: null }, isReported: false, isSilent: false },
})

const withChild = (status: ChildState["status"]): SessionState => {
  const run = newRun({ run_id: "r", snapshot_hash: "h" })
  run.children = [child(status)]
  return sessionState(run)
}

const message = (id: string, fields: Partial<SessionMessage> = {}): SessionMessage => ({
  ...{ id, type: "follow_up", source: "follow_up", in_thread: true, approval: "policy" },
  ...fields,
})

const accept = (state: SessionState, id: string, fields?: Partial<SessionMessage>, at: MessageState = "running") =>
  acceptMessage(state, at, message(id, fields))

const idsOf = ({ waiting, followUps }: SessionState) => [
  waiting.map(({ inboxId }) => inboxId),
  followUps.map(({ id }) => id),
]

describe("a message from the thread of a session", () => {
  it("waits for the next run, whether or not a sub-agent works", () => {
    for (const status of ["running", "ended"] as const) {
      const state = withChild(status)
      expect(isAskedInThread(state)).toBe(false)
      accept(state, "elsewhere", { in_thread: undefined })
      expect(isAskedInThread(state)).toBe(false)
      accept(state, "m1")
      accept(state, "m2", {}, "deciding")
      expect(idsOf(state)).toEqual([[], ["elsewhere", "m1", "m2"]])
      expect(isAskedInThread(state)).toBe(true)
    }
  })

  it("is for the open run in a session of an earlier version while a sub-agent works, and narrows what it may approve", () => {
    const state = sessionState(newRun({ run_id: "r", snapshot_hash: "h" }))
    accept(state, "m1")
    accept(state, "elsewhere", { in_thread: undefined })
    takeThreadMessages(state)
    expect(idsOf(state)).toEqual([[], ["m1", "elsewhere"]])
    state.run.children = [child("running")]
    accept(state, "m2")
    takeThreadMessages(state)
    expect(idsOf(state)).toEqual([["m1", "m2"], ["elsewhere"]])
    expect(state.run).toMatchObject({ isAskedInThread: true, narrowedApproval: "policy" })
  })
})
