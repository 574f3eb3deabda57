import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, Connection } from "@temporalio/client"
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest"
import { examineEngine } from "../../../cli/doctor/examine-engine.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { type EngineProcess, startEngineProcess } from "../../chaos/world/engine-process.ts"
import { startTcpProxy, type TcpProxy } from "../../chaos/world/tcp-proxy.ts"
import { openHarnessAt } from "../../helpers/engine/open-harness-at.ts"
import type { Harness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

const actor = { by: "ana", via: "cli" }
const mismatch = { code: "engine_mismatch" }
const engineMarkMs = 100

let folder: string
let program: string
let engine: EngineProcess
let proxy: TcpProxy
let harness: Harness

const startEngine = async (name: string): Promise<EngineProcess> => {
  const started = await startEngineProcess(program, join(folder, name))
  onTestFinished(() => started.kill())
  return started
}

const statusOf = async (id: string) => (await harness.store.sessions.get(id))?.status

const startPaused = async (): Promise<string> => {
  const id = await harness.start({ auto_approve: false, pause_on_approval: true })
  await eventually(async () => (await statusOf(id)) === "paused", { timeoutMs: 60_000 })
  return id
}

/** The workflows that a server has, of whichever state. */
const workflowsOf = async ({ port }: EngineProcess): Promise<readonly string[]> => {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` })
  try {
    const found: string[] = []
    for await (const { workflowId, status } of new Client({ connection }).workflow.list())
      found.push(`${workflowId} ${status.name}`)
    return found
  } finally {
    await connection.close()
  }
}

/** Answers the pause; the session continues with its next turn. */
const answer = (id: string) => harness.client.send({ sessionId: id, text: "Blue.", type: "message", actor })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "adjutant-swapped-"))
  program = (await ensureTemporalProgram({ env: process.env })).path
  engine = await startEngineProcess(program, join(folder, "engine.db"))
  proxy = await startTcpProxy(engine.port)
  harness = await openHarnessAt(proxy.address, {
    model: createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "painted" }]] }),
    config: { timing: { engineMarkMs } },
  })
})

afterEach(async () => {
  await harness.close()
  await proxy.close()
  await engine.kill()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

it("a session cannot start on an empty server that took the place of the engine a moment ago", async () => {
  const paused = await startPaused()
  const empty = await startEngine("empty.db")
  proxy.redirect(empty.port)
  await expect(harness.start()).rejects.toMatchObject(mismatch)
  await expect(answer(paused)).rejects.toMatchObject(mismatch)
  expect(await workflowsOf(empty)).toEqual([])
  expect((await harness.store.sessions.listOpen()).map(({ id }) => id)).toEqual([paused])
  proxy.redirect(engine.port)
  await answer(paused)
  await eventually(async () => (await statusOf(paused)) === "completed", { timeoutMs: 60_000 })
})

it("an older copy of the engine gets no work, ends nothing, and everything continues when the engine is back", async () => {
  const paused = await startPaused()
  await engine.backUp(join(folder, "older.db"))
  const newer = await Promise.all(Array.from({ length: 6 }, startPaused))
  const older = await startEngine("older.db")
  const before = await workflowsOf(older)
  proxy.redirect(older.port)
  await expect(harness.start()).rejects.toMatchObject({ ...mismatch, message: expect.stringContaining("older copy") })
  await expect(answer(paused)).rejects.toMatchObject(mismatch)
  await expect(harness.client.reconcile({}, actor)).rejects.toMatchObject(mismatch)
  expect(await harness.client.engine.show()).toMatchObject({ is_same: false, open_sessions: 7, known_sessions: 1 })
  expect(await workflowsOf(older)).toEqual(before)
  for (const id of [paused, ...newer]) expect(await statusOf(id)).toBe("paused")
  proxy.redirect(engine.port)
  for (const id of [paused, ...newer]) {
    await answer(id)
    await eventually(async () => (await statusOf(id)) === "completed", { timeoutMs: 60_000 })
  }
})

/** A few starts write the marker three times on a quiet machine. */
const mostPaused = 30

it("an older copy that lacks only a few sessions is refused, too, and the doctor names it", async () => {
  const markerOf = async () => (await harness.store.engine.read())?.marker
  const paused = [await startPaused()]
  await eventually(async () => ((await markerOf())?.required ?? 0) > 0, { timeoutMs: 60_000 })
  await engine.backUp(join(folder, "older.db"))
  const copied = (await markerOf())?.written ?? 0
  // The marker may be written to the engine right before the copy is made, and to the store right after. Each start can write it.
  const isMarked = async (): Promise<boolean> => ((await markerOf())?.required ?? 0) > copied + 1
  while (!(await isMarked()) && paused.length < mostPaused) paused.push(await startPaused())
  expect(await isMarked()).toBe(true)
  const older = await startEngine("older.db")
  proxy.redirect(older.port)
  const refused = { ...mismatch, message: expect.stringContaining("older copy") }
  await expect(harness.start()).rejects.toMatchObject(refused)
  await expect(harness.client.reconcile({}, actor)).rejects.toMatchObject(refused)
  const [finding] = await examineEngine(harness.loaded, { TEMPORAL_ADDRESS: proxy.address })
  expect(finding).toMatchObject({ name: "engine", status: "fail", detail: expect.stringContaining("older copy") })
  for (const id of paused) expect(await statusOf(id)).toBe("paused")
  proxy.redirect(engine.port)
  for (const id of paused) {
    await answer(id)
    await eventually(async () => (await statusOf(id)) === "completed", { timeoutMs: 60_000 })
  }
})
