import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, Connection } from "@temporalio/client"
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { type EngineProcess, startEngineProcess } from "../../chaos/world/engine-process.ts"
import { startTcpProxy, type TcpProxy } from "../../chaos/world/tcp-proxy.ts"
import { openHarnessAt } from "../../helpers/engine/open-harness-at.ts"
import type { Harness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

const actor = { by: "ana", via: "cli" }
const mismatch = { code: "engine_mismatch" }

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

/**
 * The workflows that a server has, of whichever state, but those that were withdrawn: a start that was on its way when the server was replaced can reach the other
 * one, and is ended there before it is refused.
 */
const workflowsOf = async ({ port }: EngineProcess): Promise<readonly string[]> => {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` })
  try {
    const found: string[] = []
    for await (const { workflowId, status } of new Client({ connection }).workflow.list())
      if (status.name !== "TERMINATED") found.push(`${workflowId} ${status.name}`)
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
    model: createFakeTurns(
      { text: "Which colour?" },
      { calls: [["finish", { result: "painted" }]] },
      { calls: [["finish", { result: "painted again" }]] },
    ),
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
  const refused: unknown = await harness.start().catch((error: unknown) => error)
  expect(refused).toMatchObject(mismatch)
  await expect(answer(paused)).rejects.toMatchObject(mismatch)
  // What reached the empty server before the comparison is withdrawn.
  expect((await workflowsOf(empty)).filter((workflow) => !workflow.endsWith(" TERMINATED"))).toEqual([])
  // The request may also have reached the engine itself in its last moment: then its session remains, and the refusal names it.
  const doubtful = /session (\w+) may have started before/.exec(String(refused))?.[1]
  const open = (await harness.store.sessions.listOpen()).map(({ id }) => id)
  expect(open.filter((id) => id !== doubtful)).toEqual([paused])
  proxy.redirect(engine.port)
  await answer(paused)
  await eventually(async () => (await statusOf(paused)) === "completed", { timeoutMs: 60_000 })
})

/** Lets the sender compare the engines only after a worker has executed the first task of what it started. */
const holdSender = (): void => {
  const { workflow } = harness.temporal
  const start = workflow.start.bind(workflow)
  workflow.start = async (...given: Parameters<typeof start>) => {
    const handle = await start(...given)
    const hasBegun = async (): Promise<boolean> =>
      ((await handle.fetchHistory()).events ?? []).some((event) => event.workflowTaskCompletedEventAttributes != null)
    await eventually(hasBegun, { timeoutMs: 60_000 })
    return handle
  }
  onTestFinished(() => void (workflow.start = start))
}

it("a first message that began on an empty server counts as not sent, and begins when it is sent again", async () => {
  const { client, store, cwd } = harness
  const { id } = await client.create({ cwd, actor })
  const send = () => client.send({ sessionId: id, text: "Paint it.", type: "message", messageId: "msg_1", actor })
  // The worker has compared the engines a moment ago.
  await startPaused()
  const empty = await startEngine("empty.db")
  holdSender()
  proxy.redirect(empty.port)
  await expect(send()).rejects.toMatchObject(mismatch)
  proxy.redirect(engine.port)
  expect(await store.sessions.get(id)).toMatchObject({ status: "pending", headSeq: 0 })
  await send()
  await eventually(async () => (await statusOf(id)) === "completed", { timeoutMs: 60_000 })
})

it("a next message that began on an empty server counts as not sent, is withdrawn there, and begins when it is sent again", async () => {
  const { client, store } = harness
  const id = await startPaused()
  await answer(id)
  await eventually(async () => (await statusOf(id)) === "completed", { timeoutMs: 60_000 })
  const before = await store.sessions.get(id)
  const send = () => client.send({ sessionId: id, text: "Paint it.", type: "message", messageId: "msg_2", actor })
  const empty = await startEngine("empty.db")
  proxy.redirect(empty.port)
  await expect(send()).rejects.toMatchObject(mismatch)
  expect(await workflowsOf(empty)).toEqual([])
  proxy.redirect(engine.port)
  const { runId, status } = (await store.sessions.get(id)) ?? {}
  expect({ runId, status }).toEqual({ runId: before?.runId, status: "completed" })
  const sent = await send()
  await eventually(async () => (await store.runs.get(sent.runId ?? ""))?.status === "completed", { timeoutMs: 60_000 })
})
