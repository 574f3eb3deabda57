import { expect, it } from "vitest"
import { decideForChild } from "../../../../activities/delegation/control-child.ts"
import type { DelegationCall } from "../../../../activities/delegation/delegation-call.ts"
import type { WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { SandboxMode } from "../../../../contracts/approval/run-policy.ts"
import type { PauseRow, SessionRow } from "../../../../store/store.ts"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { openSettings } from "../../sessions/settings/settings-rig.ts"

type Own = Pick<RunSnapshot, "policy" | "approval" | "sandbox" | "sandboxed" | "taskSandbox">

const careful: Own = { policy: {}, approval: "policy", sandbox: "auto", sandboxed: false }
const auto = { "*": "auto" } as const

/**
 * Lets an agent with these settings approve a call of its child, on a worker with or without a sandbox.
 * Returns whether it may. The audit gets `rows`.
 */
const approves = async (
  name: string,
  own: Partial<Own>,
  hasSandbox: boolean,
  call: Partial<Pick<PauseRow["calls"][number], "isProtected" | "arguments">> & {
    readonly child?: Partial<Own>
    readonly workerPolicy?: WorkerPolicy
  } = {},
  rows: unknown[] = [],
): Promise<boolean> => {
  const sent: unknown[] = []
  const { child = {}, workerPolicy, ...shown } = call
  const delegation = {
    deps: {
      ...{ workerPolicy, webHosts: ["*.example.test"] },
      tools: new Map([
        ["LS", { name: "LS", readOnly: true }],
        ["Bash", { name: "Bash", readOnly: false }],
      ]),
      sandboxFor: async (mode: SandboxMode) => ({ confined: hasSandbox && mode !== "off" }),
      store: {
        audit: { record: async (row: unknown) => void rows.push(row) },
        runs: { latest: async () => ({ snapshotHash: "child" }) },
        secret: async () => "ab".repeat(32),
        snapshots: { get: async () => ({ ...careful, ...own, ...child }) },
      },
      temporal: { workflow: { getHandle: () => ({ signal: async (...args: unknown[]) => sent.push(args) }) } },
    },
    snapshot: { ...careful, inheritedPolicies: [], never: "pause", timing: { killGraceMs: 0 }, ...own },
    session: { id: "parent" },
    input: { sessionId: "parent", runId: "r1", resultSeq: 3, callId: "call_9" },
    call: { id: "call_9", name: "subagents", arguments: {} },
  } as unknown as DelegationCall
  const pause = {
    checkpointId: "cp_1",
    calls: [
      { id: "call_1", name, arguments: {}, preview: {}, ...shown },
      { id: "call_2", name: "Write", arguments: {}, preview: {} },
    ],
  } as unknown as PauseRow
  const decided = decideForChild(delegation, { id: "child", runId: "r2" } as SessionRow, {
    pause,
    approved: ["call_1"],
    rejected: [],
    left: [],
  }).catch((error: unknown) => {
    expect(error).toMatchObject({ message: expect.stringContaining(`only a person can approve call_1 (${name})`) })
  })
  await decided
  return sent.length > 0
}

it.each<readonly [string, Partial<Own>, boolean, boolean]>([
  ["LS", {}, false, true],
  ["Write", {}, true, false],
  ["Write", { policy: auto }, false, true],
  // The child's call may run on a worker without a sandbox.
  ["Bash", { policy: auto }, true, false],
  ["Bash", { policy: auto, sandbox: "require" }, true, true],
  // The same call in the agent's own session would pause for a decision.
  ["Bash", { policy: auto }, false, false],
  ["Bash", { policy: auto, sandbox: "off" }, true, false],
  ["Bash", { approval: "all" }, false, false],
  ["Bash", { approval: "all", sandbox: "off" }, false, true],
  ["Bash", { approval: ["Bash"], sandbox: "off" }, false, true],
  // The call would not run at all.
  ["Bash", { approval: "all", sandbox: "require" }, false, false],
  ["Bash", { sandbox: "require", sandboxed: true }, true, false],
  ["Bash", { sandbox: "require", sandboxed: true, taskSandbox: true }, true, true],
  ["binary:crawler", { sandbox: "require", sandboxed: true }, true, false],
  ["binary:crawler", { sandbox: "require", sandboxed: true, taskSandbox: true }, true, true],
  ["binary:crawler", {}, true, false],
])(
  "an agent's approval of %s for a child, with settings %j and sandbox %s, succeeds: %s",
  async (name, own, has, may) => {
    expect(await approves(name, own, has)).toBe(may)
  },
)

it("an agent approves a child's Bash as confined only if the child's settings require a sandbox", async () => {
  const own = { policy: auto }
  expect(await approves("Bash", own, true, { child: { sandbox: "require" } })).toBe(true)
  expect(await approves("Bash", own, true, { child: { sandboxed: true } })).toBe(true)
  expect(await approves("Bash", own, false, { child: { sandboxed: true } })).toBe(false)
  expect(await approves("Bash", { ...own, sandbox: "require" }, true, { child: { sandbox: "off" } })).toBe(false)
})

it.each<Partial<Own>>([{ policy: auto }, { approval: "all" }, { approval: ["Write"] }])(
  "an agent never approves a child's call that changes a protected path, with settings %j",
  async (own) => {
    expect(await approves("Write", own, true, { isProtected: true })).toBe(false)
  },
)

it.each([
  ["https://docs.example.test/a", true],
  ["https://elsewhere.test/a", false],
])("an agent whose calls are all approved approves that its child reads %s: %s", async (url, may) => {
  expect(await approves("WebFetch", { approval: "all" }, true, { arguments: { url } })).toBe(may)
})

it("an agent approves no tool for a child that the worker's own policy never allows", async () => {
  const workerPolicy = { sandbox: "off", policy: { Write: "never" } } as const
  expect(await approves("Write", { approval: "all" }, true, { workerPolicy })).toBe(false)
  expect(await approves("Edit", { approval: "all" }, true, { workerPolicy })).toBe(true)
})

it.each([
  [true, "decide", {}],
  [false, "decide-refused", { reason: expect.stringContaining("only a person can approve call_1 (Write)") }],
])("the audit says what an agent decided for its child, or was refused: %s", async (may, action, more) => {
  const rows: unknown[] = []
  expect(await approves("Write", may ? { policy: auto } : {}, false, {}, rows)).toBe(may)
  // What an agent does not name is rejected.
  const decisions = { call_1: "accept", call_2: "reject" }
  expect(rows).toMatchObject([
    {
      ...{ sessionId: "child", runId: "r2", action, by: "agent:parent", via: "parent", kind: "model" },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      detail: {
        call_id: "call_9",
        checkpoint_id: "cp_1",
        decision_id: expect.stringMatching(/^dec_/),
        decisions,
        ...more,
      },
    },
  ])
})

const config: ConfigInput = {
  models: { main: { provider: "scripted", script: "demo.yaml" } },
  agents: { general: { delegation: "sessions" } },
  subagents: { allowAgents: ["*"], maxSpawnDepth: 2 },
  tools: { policy: { "*": "auto" } },
}

/** Opens a session whose sub-agent has ended, and narrows the session's run. */
const openRestart = async (narrowed: Partial<RunSnapshot>) => {
  const { agentCalls, store, start, finish } = await openSettings(config, {})
  const parent = await start()
  const child = await agentCalls(parent, { tool: "sessions_spawn", args: { task: "look" } })
  if (child.kind !== "started") throw new Error("not started")
  await finish(child.sessionId)
  const run = await store.runs.latest(parent)
  const before = await store.snapshots.get(run?.snapshotHash ?? "")
  if (before === undefined) throw new Error("no settings")
  const snapshotHash = await store.snapshots.put({ ...before, ...narrowed })
  await store.runs.create({ runId: "run_narrowed", sessionId: parent, snapshotHash })
  await store.sessions.patch(parent, { runId: "run_narrowed" })
  const children = [{ id: child.sessionId, ordinal: 1, label: null, runId: "r", status: "ended" as const }]
  const args = { sessionKey: child.sessionId, message: "and now?" }
  const again = await agentCalls(parent, { tool: "sessions_send", args, input: { children } })
  if (again.kind !== "started") throw new Error(`not restarted: ${again.text}`)
  return { first: child.snapshot, again: again.snapshot }
}

it("a sub-agent that continues has no more than its parent has by then", async () => {
  const { first, again } = await openRestart({
    tools: ["Read"],
    sandbox: "require",
    sandboxed: true,
    never: "reject",
    envAllow: ["PATH"],
    policy: { "*": "prompt" },
  })
  expect(first.tools).toContain("Bash")
  expect(again).toMatchObject({ tools: ["Read"], sandbox: "require", sandboxed: true, never: "reject" })
  expect(again.envAllow).toEqual(["PATH"])
  expect(again.inheritedPolicies).toContainEqual({ "*": "prompt" })
})

it("a sub-agent whose parent is as it was continues as it was", async () => {
  const { first, again } = await openRestart({})
  expect(again).toEqual(first)
})
