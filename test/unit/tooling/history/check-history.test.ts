import { describe, expect, it, test } from "vitest"
import type { EventType, SessionEvent } from "../../../../contracts/event.ts"
import type { ToolOutcome } from "../../../../contracts/message.ts"
import { checkHistory } from "../../../helpers/history/check-history.ts"
import type { History, SessionHistory } from "../../../helpers/history/history.ts"

const toolRow = (seq: number, call_id: string, outcome: ToolOutcome) => ({
  seq,
  runId: "r1",
  message: { role: "tool", call_id, name: "Bash", outcome, content: "" } as const,
})
const userRow = (seq: number, text: string) => ({
  seq,
  runId: "r1",
  message: { role: "user", source: "instruction", text } as const,
})

const log = (
  session_id: string,
  entries: readonly (readonly [EventType, Readonly<Record<string, unknown>>, string?])[],
): readonly SessionEvent[] =>
  entries.map(([type, data, run_id = "r1"], index) => ({ id: index + 1, type, session_id, run_id, at: "", ...data }))

const finished = (seq: number, outcome: string) => ["tool-finished", { seq, outcome, call_id: `c${seq - 1}` }] as const

const parentEvents = log("s1", [
  ["run-started", {}],
  ["run-paused", { checkpoint_id: "cp1", pause_reason: { pending_tool_calls: [{ id: "c1" }, { id: "c2" }] } }],
  ["decision-recorded", { checkpoint_id: "cp1", decisions: { c1: "accept", c2: "reject" } }],
  finished(2, "ok"),
  finished(3, "rejected"),
  ["child-started", { child_session_id: "s2", child_run_id: "r2" }],
  ["child-finished", { child_session_id: "s2", child_run_id: "r2" }],
  ["run-finished", { status: "completed" }],
])

const run = (runId: string, childrenTokens: number) =>
  ({ runId, status: "completed", childrenTokens, reopened: 0, isLost: false, isCopied: false }) as const

const parent: SessionHistory = {
  id: "s1",
  parentId: null,
  status: "completed",
  runId: "r1",
  runs: [run("r1", 30)],
  rows: [userRow(1, "Go."), toolRow(2, "c1", "ok"), toolRow(3, "c2", "rejected")],
  events: parentEvents,
  pauses: [{ checkpointId: "cp1", runId: "r1", isClosed: true }],
  tokens: 100,
  engine: "COMPLETED",
  staysOpen: false,
}

const child: SessionHistory = {
  ...parent,
  id: "s2",
  parentId: "s1",
  runId: "r2",
  runs: [run("r2", 0)],
  rows: [],
  events: log("s2", [
    ["run-started", {}, "r2"],
    ["run-finished", { status: "completed" }, "r2"],
  ]),
  pauses: [],
  tokens: 30,
}

const good: History = {
  told: {
    messages: [{ sessionId: "s1", text: "Go." }],
    decisions: [
      { sessionId: "s1", callId: "c1", action: "accept" },
      { sessionId: "s1", callId: "c2", action: "reject" },
    ],
    cancels: [],
  },
  effects: [{ key: "s1:1", call: { sessionId: "s1", callId: "c1" } }],
  sessions: [parent, child],
}

const withParent = (change: Partial<SessionHistory>): History => ({
  ...good,
  sessions: [{ ...parent, ...change }, child],
})
const withChild = (change: Partial<SessionHistory>): History => ({
  ...good,
  sessions: [parent, { ...child, ...change }],
})
const told = (change: Partial<History["told"]>): History => ({ ...good, told: { ...good.told, ...change } })
const without = (...types: readonly EventType[]) => parentEvents.filter(({ type }) => !types.includes(type))
const and = (...entries: Parameters<typeof log>[1]) => [
  ...parentEvents,
  ...log("s1", entries).map((event) => ({ ...event, id: event.id + 100 })),
]

test("a history in which everything fits has no violation", () => {
  expect(checkHistory(good)).toEqual([])
})

describe("a history is refused", () => {
  it.each<readonly [what: string, history: History, problem: string]>([
    // Nothing acknowledged is missing.
    [
      "without an acknowledged message",
      withParent({ rows: parent.rows.slice(1) }),
      's1: the acknowledged message "Go." is missing',
    ],
    [
      "without an acknowledged session",
      told({ messages: [{ sessionId: "s9", text: "Go." }] }),
      "s9: the session is missing",
    ],
    [
      "without an acknowledged decision",
      told({ decisions: [{ sessionId: "s1", callId: "c9", action: "accept" }] }),
      "s1: the acknowledged decision accept on c9 is missing",
    ],
    [
      "in which another decision took effect",
      told({ decisions: [{ sessionId: "s1", callId: "c2", action: "accept" }] }),
      "s1: the acknowledged decision accept on c2 is missing",
    ],
    [
      "in which a cancelled session runs",
      {
        ...withParent({
          status: "running",
          runs: [{ ...run("r1", 30), status: "running" }],
          engine: "RUNNING",
          events: without("run-finished"),
        }),
        told: { ...good.told, cancels: [{ sessionId: "s1" }] },
      },
      "s1: it was cancelled and is running",
    ],
    // Nothing happened twice.
    [
      "with an effect twice",
      { ...good, effects: [...good.effects, ...good.effects] },
      "the effect s1:1 happened more than once",
    ],
    [
      "with a message twice",
      withParent({ rows: [...parent.rows, userRow(4, "Go.")] }),
      's1: there more than once: message "Go."',
    ],
    [
      "with a result twice",
      withParent({ rows: [...parent.rows, toolRow(4, "c1", "ok")] }),
      "s1: there more than once: result of c1",
    ],
    [
      "with a decision twice",
      withParent({ events: and(["decision-recorded", { checkpoint_id: "cp1", decisions: { c1: "accept" } }]) }),
      "s1: there more than once: decision cp1 c1",
    ],
    [
      "with a start twice",
      withParent({ events: and(["run-started", {}]) }),
      "s1: there more than once: run-started r1",
    ],
    [
      "with an end twice",
      withParent({ events: and(["run-finished", { status: "completed" }]) }),
      "s1: there more than once: run-finished r1",
    ],
    [
      "with the end of a call twice",
      withParent({ events: and(finished(2, "ok")) }),
      "s1: there more than once: tool-finished 2 c1",
    ],
    [
      "with the end of a sub-agent twice",
      withParent({ events: and(["child-finished", { child_session_id: "s2", child_run_id: "r2" }]) }),
      "s1: there more than once: child-finished r2",
    ],
    [
      "in which a rejected call ran",
      { ...good, effects: [{ key: "s1:2", call: { sessionId: "s1", callId: "c2" } }] },
      "s1: s1:2 was rejected and ran",
    ],
    // No event contradicts a row.
    ["in which session and run differ", withParent({ status: "failed" }), "s1: it is failed, and its run completed"],
    ["without the end of a run", withParent({ events: without("run-finished") }), "s1: run r1 ended without an event"],
    [
      "in which the event of the end says otherwise",
      withParent({ events: [...without("run-finished"), ...log("s1", [["run-finished", { status: "failed" }]])] }),
      "s1: run r1 is completed, and its event says failed",
    ],
    [
      "in which the event of a call says otherwise",
      withParent({ rows: [parent.rows[0]!, toolRow(2, "c1", "unknown"), parent.rows[2]!] }),
      "s1: c1 is unknown, and its event says ok",
    ],
    [
      "in which a session that ended runs in the engine",
      withParent({ engine: "RUNNING" }),
      "s1: it is completed, and runs in the engine",
    ],
    [
      "in which an open session does not run in the engine",
      withParent({
        status: "running",
        runs: [{ ...run("r1", 30), status: "running" }],
        engine: "unknown",
        events: without("run-finished"),
      }),
      "s1: it is running, and unknown in the engine",
    ],
    // Every pause has an opening, a decision and an end.
    ["with a pause that was not opened", withParent({ events: without("run-paused") }), "s1: pause cp1 has 0 openings"],
    [
      "with a pause that does not end",
      withParent({ pauses: [{ checkpointId: "cp1", runId: "r1", isClosed: false }] }),
      "s1: pause cp1 is open, and its run completed",
    ],
    ["with a pause without a row", withParent({ pauses: [] }), "s1: pause cp1 has no row"],
    [
      "with a call that nobody decided",
      {
        ...withParent({
          events: [
            ...without("decision-recorded"),
            ...log("s1", [["decision-recorded", { checkpoint_id: "cp1", decisions: { c1: "accept" } }]]),
          ],
        }),
        told: { ...good.told, decisions: [] },
      },
      "s1: nobody decided c2 of pause cp1",
    ],
    [
      "with two open pauses",
      withParent({
        status: "paused",
        engine: "RUNNING",
        runs: [{ ...run("r1", 30), status: "paused" }],
        events: [...without("run-finished"), ...log("s1", [["run-paused", { checkpoint_id: "cp2" }]])],
        pauses: ["cp1", "cp2"].map((checkpointId) => ({ checkpointId, runId: "r1", isClosed: false })),
      }),
      "s1: more than one pause is open",
    ],
    // Usage of children is in the parent's.
    [
      "in which usage of a sub-agent is missing",
      withParent({ runs: [run("r1", 0)] }),
      "s1: its sub-agents used 30 tokens, and it counts 0",
    ],
    [
      "in which usage is counted twice",
      withChild({ tokens: 15 }),
      "s1: its sub-agents used 15 tokens, and it counts 30",
    ],
    [
      "in which a sub-agent outlives its parent",
      withChild({
        status: "running",
        runs: [{ ...run("r2", 0), status: "running" }],
        engine: "RUNNING",
        events: log("s2", [["run-started", {}, "r2"]]),
      }),
      "s1: its sub-agent s2 is running",
    ],
    [
      "in which nobody was told that a sub-agent ended",
      withParent({ events: without("child-finished") }),
      "s1: the end of its sub-agent s2 is not in its events",
    ],
  ])("%s", (_, history, problem) => {
    expect(checkHistory(history)).toEqual([problem])
  })
})

describe("a history is accepted", () => {
  it.each<readonly [what: string, history: History]>([
    [
      "in which steering was kept for a run that never came",
      told({ messages: [...good.told.messages, { sessionId: "s1", text: "Stop.", isSteering: true }] }),
    ],
    [
      "in which steering ended a pause",
      {
        ...withParent({
          rows: parent.rows.slice(0, 1),
          events: [
            ...without("decision-recorded", "tool-finished"),
            ...log("s1", [["steering-applied", {}]]).map((event) => ({ ...event, id: 50 })),
          ],
        }),
        told: { ...good.told, decisions: [] },
        effects: [],
      },
    ],
    [
      "in which a run that had ended was reset",
      withParent({
        runs: [{ ...run("r1", 30), reopened: 1 }],
        rows: [...parent.rows, userRow(4, "Go.")],
        events: [...log("s1", [["run-finished", { status: "failed" }]]), ...parentEvents],
      }),
    ],
    [
      "in which a sub-agent was continued after its parent ended",
      withChild({
        tokens: 99,
        runs: [run("r2", 0), run("r3", 0)],
        runId: "r3",
        events: [
          ...child.events,
          ...log("s2", [
            ["run-started", {}, "r3"],
            ["run-finished", { status: "completed" }, "r3"],
          ]),
        ],
      }),
    ],
  ])("%s", (_, history) => {
    expect(checkHistory(history)).toEqual([])
  })
})
