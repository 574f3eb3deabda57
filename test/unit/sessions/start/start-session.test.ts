import { describe, expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { EngineGuard } from "../../../../engine/engine-guard.ts"
import { wrapStore } from "../../../helpers/store/wrap-store.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { anyEngine, grpcError, unavailable } from "../../client/fake-temporal.ts"

describe("start", () => {
  it("writes session, run and instruction, then starts the workflow with references only", async () => {
    const { client, temporal, store } = await clientFixture()
    const { sessionId, runId } = await client.start({ ...request, title: "Lines", label: "counter" })
    expect(sessionId).toMatch(/^[a-z0-9]{6}$/)
    expect(runId).toMatch(/^run_[a-z0-9]{20}$/)
    const { workflowType, options } = temporal.execution(sessionId)
    expect(workflowType).toBe("llmAgent")
    expect(options).toMatchObject({
      workflowId: `subagent/${sessionId}`,
      taskQueue: `adjutant-${store.storeId}`,
      workflowIdReusePolicy: "REJECT_DUPLICATE",
      workflowIdConflictPolicy: "FAIL",
      memo: { title: "Lines", profile: "general", model: "main", depth: 0 },
    })
    expect(JSON.stringify(options)).not.toContain(request.prompt)
    const [input] = options.args
    expect(input).toMatchObject({
      session_id: sessionId,
      run: { run_id: runId },
      message: { type: "message", source: "instruction" },
      has_search_attributes: false,
    })
    const row = await store.sessions.get(sessionId)
    expect(row).toMatchObject({
      sessionKey: `agent:general:main:${sessionId}`,
      status: "pending",
      runId,
      rootId: sessionId,
      depth: 0,
      label: "counter",
    })
    const run = await store.runs.get(runId)
    expect(await store.snapshots.get(run?.snapshotHash ?? "")).toMatchObject({ agent: "general" })
  })

  it("refuses an option that does not exist, which would be ignored, at the start and for a later run", async () => {
    const { client } = await clientFixture()
    const misspelt = { ...request, maxSteps: 3 }
    await expect(client.start(misspelt)).rejects.toThrow("there is no option maxSteps (did you mean max_steps?)")
    const { sessionId } = await client.start(request)
    const limits = { max_steps: 2, ...{ budgetTokens: 10 } }
    const message = { sessionId, text: "Continue.", type: "follow_up" as const, actor }
    await expect(client.send({ ...message, limits })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  it.each([
    ["an instruction that says nothing", { prompt: " \n" }, "the prompt is missing"],
    ["no instruction", { prompt: undefined }, "the prompt is missing"],
    ["no working directory", { cwd: undefined }, "the working directory is missing"],
  ])("refuses %s, and writes nothing", async (_, wrong, text) => {
    const { client, store } = await clientFixture()
    const given: object = wrong
    const refused = client.start({ ...request, ...given })
    await expect(refused).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining(text) })
    expect(await store.sessions.listOpen()).toEqual([])
  })

  it("stores the instruction under the message's id, where the workflow finds it", async () => {
    const { client, temporal, store } = await clientFixture()
    const { sessionId } = await client.start(request)
    const [input] = temporal.execution(sessionId).options.args
    expect(input).toHaveProperty("message.id")
    const { message } = input as { message: { id: string } }
    expect(await store.inbox.get(sessionId, message.id)).toMatchObject({ text: request.prompt, source: "instruction" })
  })

  it("leaves no session without a run if the answer of a write is lost", async () => {
    let writes = 0
    let lost = 0
    const { client, store } = await clientFixture({
      clientStore: (own) =>
        wrapStore(own, async (method, _, call) => {
          const answer = await call()
          if (!/^(?:transaction|sessions\.(?:create|patch)|runs\.create)$/.test(method)) return answer
          writes += 1
          if (writes === lost) throw new AdjutantError("storage_failed", "the answer was lost")
          return answer
        }),
    })
    do {
      writes = 0
      lost += 1
      await client.start(request).catch(() => undefined)
      const rows = await store.sessions.listOpen()
      expect(rows.filter(({ runId }) => runId === null)).toEqual([])
    } while (writes >= lost)
    expect(lost).toBeGreaterThan(3)
  })

  it("sets search attributes only if they are registered", async () => {
    const without = await clientFixture()
    const { sessionId } = await without.client.start(request)
    expect(without.temporal.execution(sessionId).options.typedSearchAttributes).toBeUndefined()
    const withThem = await clientFixture({ hasSearchAttributes: true })
    const started = await withThem.client.start(request)
    const attributes = withThem.temporal.execution(started.sessionId).options.typedSearchAttributes
    const values = JSON.parse(JSON.stringify(attributes)).searchAttributes ?? attributes
    expect(JSON.stringify(values)).toContain("AgentStatus")
    expect(JSON.stringify(values)).toContain(started.sessionId)
  })

  it("retries while Temporal is briefly unreachable", async () => {
    const { client, temporal } = await clientFixture({ timing: { engineTimeoutMs: 2_000 } })
    let failures = 2
    temporal.before = (name) => {
      if (name === "start" && failures-- > 0) throw unavailable()
    }
    const { sessionId } = await client.start(request)
    expect(temporal.execution(sessionId).status).toBe("RUNNING")
  })

  it("reports within its deadline that Temporal is unreachable, and leaves nothing behind", async () => {
    const { client, temporal, store } = await clientFixture()
    temporal.before = () => {
      throw unavailable()
    }
    await expect(client.start({ ...request, sessionId: "abc123" })).rejects.toMatchObject({
      code: "temporal_unavailable",
      message: expect.stringContaining("TEMPORAL_ADDRESS"),
    })
    expect(await store.sessions.get("abc123")).toBeUndefined()
  })

  it("counts a start whose answer was lost as started", async () => {
    const { client, temporal, store } = await clientFixture()
    temporal.after = (name) => {
      if (name === "start") throw grpcError(4, "deadline exceeded")
    }
    const { sessionId } = await client.start(request)
    expect(await store.sessions.get(sessionId)).toBeDefined()
  })

  it("counts its own earlier attempt as started if the engine reports that the execution exists", async () => {
    const { client, temporal } = await clientFixture({ timing: { engineTimeoutMs: 2_000 } })
    let lost = 1
    temporal.after = (name) => {
      if (name === "start" && lost-- > 0) throw unavailable()
    }
    const { sessionId } = await client.start(request)
    expect(temporal.execution(sessionId).status).toBe("RUNNING")
  })

  it("uses another id if the engine remembers one from before", async () => {
    const { client, temporal, store } = await clientFixture()
    let first: string | undefined
    const start = temporal.workflow.start
    temporal.workflow.start = async (type, options) => {
      if (first === undefined) {
        first = options.workflowId
        temporal.executions.set(first, { status: "COMPLETED", workflowType: type, options, signals: [], updates: [] })
      }
      return await start(type, options)
    }
    const { sessionId } = await client.start(request)
    expect(`subagent/${sessionId}`).not.toBe(first)
    expect(await store.sessions.get(first?.slice("subagent/".length) ?? "")).toBeUndefined()
  })

  it("rejects a preset id that is in use, without changing its owner", async () => {
    const { client, store } = await clientFixture()
    await client.start({ ...request, sessionId: "taken1", title: "first" })
    await expect(client.start({ ...request, sessionId: "taken1", title: "second" })).rejects.toMatchObject({
      code: "idempotency_conflict",
    })
    expect((await store.sessions.get("taken1"))?.title).toBe("first")
  })
})

describe("a start while another engine takes the place of the store's own", () => {
  /** A guard that finds another engine from its nth comparison on, until the store's own is back. */
  const replacedAt = (comparison: number) => {
    let count = 0
    const state = { isBack: false }
    const compare = (): void => {
      count += 1
      if (!state.isBack && count >= comparison)
        throw new AdjutantError("engine_mismatch", "the store belongs to another Temporal: check TEMPORAL_ADDRESS")
    }
    const guard: EngineGuard = {
      ...anyEngine,
      verify: async () => {
        compare()
        return await anyEngine.verify()
      },
      verifyFromTimeToTime: async () => compare(),
    }
    return { guard, state }
  }

  const failureOf = (work: Promise<unknown>): Promise<AdjutantError> =>
    work.then(
      () => Promise.reject(new Error("it started")),
      (error: AdjutantError) => error,
    )

  it.each([
    ["after the start was answered", false],
    ["after the answer of the start was lost", true],
  ])("keeps a session that the store's engine may have started if another one is found %s", async (_, isLost) => {
    const { guard, state } = replacedAt(2)
    const { client, store, temporal } = await clientFixture({ engine: guard, timing: { engineTimeoutMs: 10_000 } })
    if (isLost)
      temporal.after = (name) => {
        if (name === "start") throw unavailable()
      }
    const error = await failureOf(client.start(request))
    expect(error.code).toBe("engine_mismatch")
    const [, id = ""] = /session (\w+) may have started/.exec(error.message) ?? []
    expect(await store.sessions.get(id)).toMatchObject({ id, status: "pending" })
    state.isBack = true
    expect(temporal.execution(id).status).toBe("RUNNING")
    expect(await client.info(id)).toMatchObject({ id, status: "pending" })
  })

  it("leaves no row of a session that was never sent to an engine", async () => {
    const { guard } = replacedAt(1)
    const { client, store, temporal } = await clientFixture({ engine: guard })
    expect(await failureOf(client.start(request))).toMatchObject({ code: "engine_mismatch" })
    expect(temporal.executions.size).toBe(0)
    expect((await store.sessions.list({ limit: 10 })).items).toEqual([])
  })
})

describe("resolveTarget", () => {
  it("finds a session by its id, its checkpoint, its run and its label", async () => {
    const { client, pause } = await clientFixture()
    const { sessionId, runId } = await client.start({ ...request, label: "counter" })
    const { checkpointId } = await pause(sessionId)
    for (const target of [sessionId, checkpointId, runId, "counter"])
      expect(await client.resolveTarget(target)).toBe(sessionId)
  })

  it("finds nothing by a label that several of the caller's tasks have, and names them", async () => {
    const { client, store } = await clientFixture()
    const first = await client.start({ ...request, label: "deploy" })
    const second = await client.start({ ...request, label: "deploy" })
    const refused = client.resolveTarget("deploy")
    await expect(refused).rejects.toMatchObject({ code: "target_ambiguous" })
    await expect(refused).rejects.toThrow(new RegExp(`${second.sessionId} \\((pending|running), .* old\\)`))
    await store.sessions.patch(second.sessionId, { status: "completed" })
    expect(await client.resolveTarget("deploy")).toBe(first.sessionId)
    await store.sessions.patch(first.sessionId, { status: "failed" })
    await expect(client.resolveTarget("deploy")).rejects.toMatchObject({ code: "target_ambiguous" })
  })

  it("finds neither another caller's label nor a sub-agent's", async () => {
    const { client, store } = await clientFixture()
    const own = await client.start({ ...request, label: "notes" })
    const row = await store.sessions.get(own.sessionId)
    if (row === undefined) throw new Error("the session has no row")
    const other = { ...row, title: null, agent: "general", internal: {}, place: null, caller: null }
    await store.sessions.create({ ...other, id: "child1", parentId: own.sessionId, rootId: own.sessionId })
    await store.sessions.create({ ...other, id: "remote", rootId: "remote", label: "deploy", caller: "http:ci" })
    expect(await client.resolveTarget("notes")).toBe(own.sessionId)
    await expect(client.resolveTarget("deploy")).rejects.toMatchObject({ code: "session_not_found" })
    const ci = { caller: "http:ci", reachesAll: true }
    expect(await client.resolveTarget("deploy", ci)).toBe("remote")
    await expect(client.resolveTarget("notes", ci)).rejects.toMatchObject({ code: "session_not_found" })
    expect(await client.resolveTarget(own.sessionId, ci)).toBe(own.sessionId)
    await expect(client.resolveTarget(own.sessionId, { caller: "http:ci" })).rejects.toThrow("there is no session")
  })

  it("distinguishes an unknown session from an unknown checkpoint by its form", async () => {
    const { client } = await clientFixture()
    await expect(client.resolveTarget("abc123")).rejects.toMatchObject({ code: "session_not_found" })
    await expect(client.resolveTarget("cp_abcdefghijklmnop")).rejects.toMatchObject({ code: "checkpoint_not_found" })
  })

  it("does not find a deleted session", async () => {
    const { client, store } = await clientFixture()
    const { sessionId } = await client.start(request)
    await store.sessions.markDeleted(sessionId)
    await expect(client.resolveTarget(sessionId)).rejects.toMatchObject({ code: "session_not_found" })
    await expect(client.info(sessionId)).rejects.toMatchObject({ code: "session_not_found" })
    await expect(client.cancel(sessionId, actor)).rejects.toMatchObject({ code: "session_not_found" })
  })
})
