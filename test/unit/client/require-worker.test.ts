import { describe, expect, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { configSchema } from "../../../contracts/config/config.ts"
import { anyEngine } from "./fake-temporal.ts"
import { actor, clientFixture, loaded, request } from "./client-fixture.ts"

const config = configSchema.parse({
  channels: { team: { type: "webhook", outboundUrl: "http://127.0.0.1:9/out", secretEnv: "TEAM_SECRET" } },
  schedules: { nightly: { cron: "0 3 * * *", prompt: "Look." } },
})

/** A client that gets no worker, and sessions from before that: one waits for a decision, one for its provider, and one has ended. */
const withoutWorker = async (failure = new Error("none starts")) => {
  let isAway = false
  let asked = 0
  const requireWorker = async (): Promise<void> => {
    if (!isAway) return
    asked += 1
    throw failure
  }
  const fixture = await clientFixture({ requireWorker, engine: anyEngine, loaded: { ...loaded, config } })
  const { client, store } = fixture
  const paused = await client.start(request)
  await fixture.pause(paused.sessionId)
  const waiting = await client.start(request)
  await store.sessions.patch(waiting.sessionId, {
    status: "running",
    blockedBy: { type: "provider_unavailable", reason: "away", next_at: null, since: new Date().toISOString() },
  })
  const ended = await client.start(request)
  await fixture.finish(ended.sessionId, "completed")
  await store.inbox.put({ id: "msg_1", sessionId: paused.sessionId, source: "follow_up", text: "And then?" })
  isAway = true
  return {
    ...fixture,
    sessions: { paused: paused.sessionId, waiting: waiting.sessionId, ended: ended.sessionId },
    asked: () => asked,
  }
}

type Sessions = Awaited<ReturnType<typeof withoutWorker>>["sessions"]
type Acts = Readonly<Record<string, (client: AdjutantClient, sessions: Sessions) => Promise<unknown>>>

const { prompt: text, cwd } = request
const spawned = { tool: "Task", input: { description: "Count", prompt: text, subagent_type: "general" } } as const
const authority = { approval: "policy", directories: [cwd] } as const
const accept = { all: { action: "accept" }, unlisted: "pending", actor } as const
const message = { message_id: "m1", thread_key: "t1", text }

const working: Acts = {
  start: (client) => client.start(request),
  startTask: (client) => client.startTask({ text, cwd, actor }),
  spawn: (client) => client.spawn({ call: spawned, caller: "ana", cwd, actor }),
  "send to an open run": (client, { paused }) => client.send({ sessionId: paused, type: "steering", text, actor }),
  "send to a run that has ended": (client, { ended }) =>
    client.send({ sessionId: ended, type: "message", text, actor }),
  "send by signal": (client, { paused }) =>
    client.send({ sessionId: paused, type: "steering", text, actor, delivery: "signal" }),
  decide: (client, { paused }) => client.decide({ sessionId: paused, ...accept }),
  cancel: (client, { paused }) => client.cancel(paused, actor),
  retry: (client, { waiting }) => client.retry(waiting, actor),
  setModel: (client, { paused }) => client.setModel(paused, "light", actor),
  withdraw: (client, { paused }) => client.withdraw(paused, "msg_1", actor),
  stopAll: (client) => client.stopAll(actor),
  "channels.receive": (client) => client.channels.receive("team", message),
  "schedules.start": (client) => client.schedules.start({ name: "nightly", time: "2030-01-01T03:00:00Z" }),
  "schedules.change": (client) => client.schedules.change("nightly", { change: "trigger", actor }),
  reconcile: (client) => client.reconcile({}, actor),
  wait: (client, { waiting }) => client.wait(waiting),
}

const refused: Acts = {
  start: (client) => client.start({ ...request, ...{ max_stepz: 3 } }),
  "start of a task": (client) => client.startTask({ text, cwd, actor, limits: { ...{ max_steps: 3, max_stepz: 3 } } }),
  send: (client) => client.send({ sessionId: "nobody1", type: "message", text, actor }),
  decide: (client) => client.decide({ sessionId: "nobody1", ...accept }),
  decideByLink: (client) => client.decideByLink("link", { action: "accept" }),
  cancel: (client) => client.cancel("nobody1", actor),
  retry: (client, { paused }) => client.retry(paused, actor),
  setModel: (client, { paused }) => client.setModel(paused, "nothing", actor),
  withdraw: (client, { paused }) => client.withdraw(paused, "msg_2", actor),
  delete: (client) => client.delete("nobody1", actor),
  "channels.receive": (client) => client.channels.receive("nowhere", message),
  "schedules.start": (client) => client.schedules.start({ name: "nobody", time: "2030-01-01T03:00:00Z" }),
  "schedules.change": (client) => client.schedules.change("nobody", { change: "trigger", actor }),
  "schedules.change without the scope": (client) =>
    client.schedules.change("nightly", { change: "trigger", actor: { ...actor, authority } }),
  wait: (client) => client.wait("nobody1"),
}

const idle: Acts = {
  "what is read": async (client, { paused }) => [await client.outcome(paused), await client.info(paused)],
  "the model of a session that has ended": (client, { ended }) => client.setModel(ended, "light", actor),
  "the deletion of a session that has ended": (client, { ended }) => client.delete(ended, actor),
  "the end of a session that has ended": (client, { ended }) => client.cancel(ended, actor),
  "a session that has ended": (client, { ended }) => client.wait(ended),
  "a new session without a message": (client) => client.create({ cwd, actor }),
}

describe("a client whose work needs a worker", () => {
  it.each(Object.entries(working))("requires one for %s", async (_, act) => {
    const { client, sessions } = await withoutWorker()
    await expect(act(client, sessions)).rejects.toThrow("none starts")
  })

  it.each(Object.entries(refused))("checks a request before that: %s", async (_, act) => {
    const { client, sessions, asked } = await withoutWorker()
    await expect(act(client, sessions)).rejects.not.toThrow("none starts")
    expect(asked()).toBe(0)
  })

  it.each(Object.entries(idle))("requires none for %s", async (_, act) => {
    const { client, sessions, asked } = await withoutWorker()
    await act(client, sessions)
    expect(asked()).toBe(0)
  })

  const ends: Acts = {
    "the cancel of a session": (client, { paused }) => client.cancel(paused, actor),
    "the end of everything": (client) => client.stopAll(actor),
  }

  it.each(Object.entries(ends))("is told that no worker starts after %s was stored", async (_, act) => {
    const failure = new AdjutantError("service_unavailable", "the service did not start")
    const { client, sessions, temporal } = await withoutWorker(failure)
    const cancelled: unknown[] = []
    temporal.onCancel = (execution) => void cancelled.push(execution)
    await expect(act(client, sessions)).rejects.toMatchObject({
      code: "service_unavailable",
      message: "the cancellation is stored, and takes effect as soon as a worker runs: the service did not start",
    })
    expect(cancelled).toContain(temporal.execution(sessions.paused))
  })

  it("requires one for the cancel of a session that has ended, if its execution waits for messages of its thread", async () => {
    const { client, sessions, store, temporal, asked } = await withoutWorker()
    const { ended } = sessions
    temporal.execution(ended).status = "RUNNING"
    await store.sessions.patch(ended, { internal: { mode: "session" } })
    await store.bindings.bind({
      ...{ channel: "team", threadKey: "t1", sessionId: ended, idleMs: 0, maxAgeMs: 0 },
      outbound: {
        ...{ url: "http://127.0.0.1:9/out", secretEnv: "TEAM_SECRET", spawnSubagentSessions: true },
        policy: { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 },
      },
    })
    await expect(client.cancel(ended, actor)).rejects.toThrow("none starts")
    expect(asked()).toBe(1)
  })

  it("deletes a session for which there is none, and terminates what nobody would close", async () => {
    const { client, sessions, store, temporal, asked } = await withoutWorker()
    const executed = temporal.execution(sessions.paused)
    await client.delete(sessions.paused, actor)
    expect(asked()).toBe(1)
    expect(await store.sessions.get(sessions.paused)).toMatchObject({ title: null, deletedAt: expect.any(String) })
    expect(executed.status).toBe("TERMINATED")
  })

  it("leaves nothing of a start for which there is none", async () => {
    const { client, store } = await withoutWorker()
    const before = (await store.sessions.list({ limit: 10 })).items.length
    await expect(client.start(request)).rejects.toThrow("none starts")
    expect((await store.sessions.list({ limit: 10 })).items).toHaveLength(before)
  })
})
