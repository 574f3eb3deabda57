import path from "node:path"
import { describe, expect, it } from "vitest"
import { dynamicSubagentTaskInputSchema } from "../../../../contracts/delegation/tasks-input.ts"
import { delegationTools } from "../../../../contracts/delegation/delegation-tools.ts"
import { isSubagentSession, spawnOptionsOf } from "../../../../domain/delegation/archive-due.ts"
import { readProductSources } from "../../../../scripts/structure/product-sources.ts"
import type { SessionRow } from "../../../../store/store.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { httpFixture } from "../../http/http-fixture.ts"
import { connectAs } from "../../mcp/connect-as.ts"

// Adjutant kept its own values of a session among the metadata of the caller, who could set them: a session claimed
// to be a task, a fork or another caller's.

const root = path.resolve(import.meta.dirname, "../../../..")

/** Every internal value that a source of the product reads by its name. */
const readKeys = [
  ...new Set(
    readProductSources(root).flatMap(({ text }) => [
      ...[...text.matchAll(/\binternal(?:\?\.)?\["(\w+)"\]/g)].map(([, key = ""]) => key),
      ...[...text.matchAll(/const \{ ([\w, ]+) \} = \w+\.internal\b/g)].flatMap(([, keys = ""]) => keys.split(", ")),
    ]),
  ),
]

/** Columns of a session, and names that only writers use. */
const otherKeys = [
  ...["caller", "parentId", "rootId", "depth", "number", "label", "status", "place", "deletedAt", "archivedAt"],
  ...["forked_at_step", "subagent_type", "internal", "hostQueue", "approval", "snapshotHash", "runId"],
]

const claims = {
  mode: "session",
  cleanup: "delete",
  tool: "Task",
  model: "light",
  forked_from: "another",
  spawnKey: "another/run/1",
  warning: "claimed",
  params_input: { prompt: "claimed" },
} as const

const metadata: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries([...readKeys, ...otherKeys].map((key) => [key, "claimed"])),
  ...claims,
  caller: "stdio:victim",
}

/** Returns a row without what differs between any two sessions. */
const comparable = ({ id, rootId, runId, ...row }: SessionRow) => ({
  ...row,
  ...{ sessionKey: "", createdAt: "", updatedAt: "", metadata: {}, number: null },
  hasOwnRoot: rootId === id,
  hasRun: runId !== null,
})

it("finds the internal keys that the product reads", () => {
  expect(readKeys).toEqual(expect.arrayContaining(Object.keys(claims)))
})

describe("the metadata of a session", () => {
  it("is stored as it was given, and changes nothing else of a session that a program creates or starts", async () => {
    const { client, store } = await clientFixture()
    const rowOf = async (id: string) => (await store.sessions.get(id))!
    const create = async (given: object) => rowOf((await client.create({ cwd: "/srv/project", actor, ...given })).id)
    const start = async (given: object) => rowOf((await client.start({ ...request, ...given })).sessionId)
    for (const make of [create, start]) {
      const claiming = await make({ metadata })
      expect(claiming.metadata).toEqual(metadata)
      expect(claiming.internal).toEqual({})
      expect(comparable(claiming)).toEqual(comparable(await make({})))
      expect(isSubagentSession(claiming)).toBe(false)
      expect(spawnOptionsOf({ ...claiming, depth: 1 })).toEqual({ isBound: false, cleanup: "keep" })
    }
  })

  it("changes nothing that a session shows over HTTP", async () => {
    const { ask, store } = await httpFixture()
    const make = async (payload: object) => {
      const { status, body } = await ask({ method: "POST", url: "/v1/sessions", payload })
      expect(status).toBe(201)
      return body
    }
    const [claiming, plain] = [await make({ metadata }), await make({})]
    for (const key of ["forked_from", "depth", "label", "parent_session_id", "run_id", "status"])
      expect([key, claiming[key]]).toEqual([key, plain[key]])
    const row = (await store.sessions.get(claiming.id))!
    expect([row.internal, row.caller]).toEqual([{}, (await store.sessions.get(plain.id))!.caller])
  })

  it("does not make a session the task of another caller, or a task at all", async () => {
    const fixture = await clientFixture()
    const { client } = fixture
    const { id: sessionId } = await client.create({ cwd: "/srv/project", actor, metadata, caller: "http:attacker" })
    const victim = await connectAs(fixture, "stdio:victim")
    expect((await victim.call("get_all_tasks", {})).text).not.toContain(sessionId)
    expect((await victim.call("get_task_details", { task_id: sessionId })).text).toContain("TASK_NOT_FOUND")
    expect(await client.spawned("stdio:victim")).toEqual([])
    expect(await client.spawned("http:attacker")).toEqual([])
  })

  it("is taken by no delegation tool", async () => {
    const fixture = await clientFixture()
    const caller = await connectAs(fixture, "stdio:test")
    const inputs: Readonly<Record<string, Record<string, unknown>>> = {
      Task: { description: "d", prompt: "p", subagent_type: "explore" },
      dynamic_subagent_task: { description: "d", instructions: "i", tools: ["LS"] },
      sessions_spawn: { task: "t" },
      run_command_task: { command: "true" },
    }
    for (const [name, input] of Object.entries(inputs))
      expect((await caller.call(name, { ...input, metadata })).text).toMatch(/^[A-Z_]+: .*"metadata"/)
    expect(delegationTools.filter(({ input }) => "metadata" in input.shape)).toEqual([])
  })

  it("does not reach the sessions below: a spawned task has the values of its own call", async () => {
    const { client, store } = await clientFixture()
    const input = dynamicSubagentTaskInputSchema.parse({ description: "d", instructions: "i", tools: ["LS"] })
    const call = { tool: "dynamic_subagent_task", input } as const
    const spawned = await client.spawn({ call, caller: "stdio:test", cwd: "/srv/project", actor })
    if (spawned.kind !== "started") throw new Error("expected a start")
    const row = await store.sessions.get(spawned.child.sessionId)
    expect([row?.metadata, row?.internal["tool"]]).toEqual([{}, "dynamic_subagent_task"])
  })
})
