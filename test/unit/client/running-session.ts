import { clientFixture, request } from "./client-fixture.ts"

/** Returns a client with a session that runs. */
export const runningSession = async (timing = {}) => {
  const fixture = await clientFixture({ timing })
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  return { ...fixture, sessionId, runId }
}

/** Creates a child's row and execution, as the spawn of the parent's workflow does. */
export const childOf = async (fixture: Awaited<ReturnType<typeof runningSession>>, id: string) => {
  const { store, temporal, sessionId } = fixture
  const { runId } = await fixture.client.start({ ...request, sessionId: `tmp${id}` })
  const snapshotHash = (await store.runs.get(runId))?.snapshotHash ?? ""
  await store.sessions.create({
    id,
    sessionKey: `agent:general:subagent:${id}`,
    title: null,
    agent: "general",
    model: "main",
    parentId: sessionId,
    rootId: sessionId,
    depth: 1,
    cwd: "/srv/project",
    label: null,
    metadata: {},
  })
  await store.runs.create({ runId: `run_${id}`, sessionId: id, snapshotHash })
  await store.sessions.patch(id, { runId: `run_${id}`, status: "running" })
  temporal.executions.set(`subagent/${id}`, { ...temporal.execution(`tmp${id}`), status: "RUNNING" })
}
