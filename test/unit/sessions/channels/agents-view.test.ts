import { expect, it, onTestFinished } from "vitest"
import { agentsText } from "../../../../cli/commands/sessions/agents.ts"
import { listAgents } from "../../../../sessions/channels/agents-view.ts"
import { loaded } from "../../client/client-fixture.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"

it("lists the sessions of each profile that are active or bound to a thread", async () => {
  const store = await storeWithSession()
  onTestFinished(() => store.close())
  await store.sessions.patch("s1", { status: "running" })
  for (const id of ["bound", "ended"]) {
    await store.sessions.create(newSession(id, { agent: "explore", label: `${id} one` }))
    await store.sessions.patch(id, { status: "completed" })
  }
  await store.bindings.bind({
    ...{ sessionId: "bound", channel: "team", threadKey: "t1", idleMs: 0, maxAgeMs: 0 },
    outbound: {
      ...{ url: "https://example.test/out", secretEnv: "T", spawnSubagentSessions: true },
      policy: { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 },
    },
  })
  const context = { loaded, store, logger: { warn: () => undefined } }
  const agents = await listAgents(context)
  expect(agents.map(({ id, active, sessions }) => [id, active, sessions])).toEqual([
    ["general", 1, [{ id: "s1", status: "running", label: null, thread: null }]],
    ["explore", 0, [{ id: "bound", status: "completed", label: "bound one", thread: { channel: "team", key: "t1" } }]],
    ["plan", 0, []],
    ["summary", 0, []],
  ])
  const lines = agentsText(agents)
    .split("\n")
    .map((line) => line.trimEnd().split(/ {2,}/))
  expect(lines).toContainEqual(["s1", "general", "running", "unbound"])
  expect(lines).toContainEqual(["bound", "explore", "completed", "t1 of team", "bound one"])
  expect(await listAgents(context, new Set(["bound"]))).toMatchObject([
    { id: "general", active: 0, sessions: [] },
    { id: "explore", sessions: [{ id: "bound" }] },
    {},
    {},
  ])
})
