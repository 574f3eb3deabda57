import { expect, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { openSettings } from "../../sessions/settings/settings-rig.ts"

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
