import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { stringify } from "yaml"
import { openStore } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"
import { runWorker } from "../../../service/run-worker.ts"
import { connect } from "../../../client/connect.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type PlainServer, startPlainServer } from "../../helpers/engine/plain-server.ts"

const main = {
  turns: [
    { reply: { tool_calls: [{ id: "w", name: "Write", arguments: { file_path: "a.txt", content: "a" } }] } },
    { reply: { text: "Written." } },
  ],
}

let project: ProjectDirectory
let server: PlainServer | undefined

beforeEach(async () => {
  project = await createProject({ main }, { ADJUTANT_SERVER_LINGER_MS: "0" })
})
afterEach(async () => {
  await project.remove()
  await server?.stop()
  server = undefined
})

const dataDir = () => project.dataDir
const embeddedEngine = () => path.join(dataDir(), "temporal.db")

const withStore = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore({ url: "sqlite:", dataDir: dataDir() })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

interface Paused {
  readonly id: string
  readonly checkpoint: string
}

/** Starts a run that pauses, in the Temporal server of these variables. */
const startPaused = async (env: Readonly<Record<string, string>> = {}): Promise<Paused> => {
  const ended = await project.runWith(env, "run", "--pause-on-approval", "write it", "--output", "json")
  expect([ended.code, ended.stderr]).toEqual([10, expect.any(String)])
  const { task_id, checkpoint_id } = JSON.parse(ended.stdout)
  return { id: task_id, checkpoint: checkpoint_id }
}

/** Returns everything that the store contains of a session. */
const snapshot = (id: string) =>
  withStore(async (store) => ({
    row: await store.sessions.get(id),
    runs: await store.runs.list(id),
    pause: await store.pauses.current(id),
    events: await store.events.lastId(id),
    missing: await store.missing.get(id),
  }))

/** Settings without waits. */
const quick = {
  ADJUTANT_TEST_TIMING: JSON.stringify({ startGraceMs: 0, missingConfirmMs: 0, engineCheckMs: 200 }),
}

const deleteEngine = async (): Promise<void> => {
  for (const suffix of ["", "-wal", "-shm"]) await rm(`${embeddedEngine()}${suffix}`, { force: true })
}

/** Ends the service, and waits until the project's embedded server has exited. */
const serverEnded = async (): Promise<void> => {
  await project.run("service", "stop")
  await eventually(() => !existsSync(path.join(dataDir(), "server", "server.json")))
}

test("commands, the library and its worker reject another Temporal server with both names, and change nothing", async () => {
  server = await startPlainServer()
  const { address } = server
  const { id, checkpoint } = await startPaused()
  const before = await snapshot(id)
  await project.run("service", "stop")
  const commands = [["tree", id], ["wait", id], ["run", "something else"], ["worker"], ["serve", "--port", "0"]]
  await Promise.all(
    commands.map(async (command) => {
      const { code, stderr } = await project.runWith({ TEMPORAL_ADDRESS: address }, ...command)
      expect([command[0], code]).toEqual([command[0], 2])
      for (const part of ["this store belongs to Temporal", address, dataDir()]) expect(stderr).toContain(part)
      expect(new Set(stderr.match(/\(id [0-9a-f-]{36}\)/g)).size).toBe(2)
    }),
  )
  const { PATH, XDG_STATE_HOME } = project.env
  const env = { PATH, XDG_STATE_HOME, HOME: project.cwd, TEMPORAL_ADDRESS: address }
  const place = { cwd: project.cwd, env }
  await expect(connect(place)).rejects.toMatchObject({ code: "engine_mismatch" })
  await expect(runWorker(place)).rejects.toMatchObject({ code: "engine_mismatch" })
  expect(await snapshot(id)).toEqual(before)
  const resumed = await project.run("resume", checkpoint, "--approve-all")
  expect([resumed.code, resumed.stdout], resumed.stderr).toEqual([10, expect.stringContaining("Written.")])
})

test("a missing TEMPORAL_ADDRESS starts no embedded engine", async () => {
  server = await startPlainServer()
  const { id } = await startPaused({ TEMPORAL_ADDRESS: server.address })
  await project.run("service", "stop")
  const { code, stderr } = await project.run("tree", id)
  expect([code, stderr]).toEqual([2, expect.stringContaining("TEMPORAL_ADDRESS is not set")])
  expect(stderr).toContain(server.address)
  expect(existsSync(embeddedEngine())).toBe(false)
  const doctor = await project.run("doctor", "--output", "json")
  expect(doctor.code).toBe(1)
  const findings: readonly { readonly name: string; readonly status: string }[] = JSON.parse(doctor.stdout).items
  expect(findings.find(({ name }) => name === "engine")).toMatchObject({ status: "fail" })
})

test("a deleted embedded engine is not replaced without a request; the store can be moved to a new one", async () => {
  const { id } = await startPaused()
  await serverEnded()
  await deleteEngine()
  const refused = await project.run("tree", id)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(embeddedEngine())])
  expect(existsSync(embeddedEngine())).toBe(false)

  const moved = await project.run("engine", "move", "--accept", "--output", "json")
  expect([moved.code, JSON.parse(moved.stdout)]).toMatchObject([
    0,
    { is_same: true, open_sessions: 1, known_sessions: 0 },
  ])
  await project.run("service", "start")
  const info = await project.run("info", id, "--output", "json")
  expect(JSON.parse(info.stdout)).toMatchObject({ status: "paused", engine_state: "not_found" })
  const pass = await project.runWith(quick, "reconcile", "--output", "json")
  expect([pass.code, JSON.parse(pass.stdout)]).toMatchObject([0, { checked: 1, mended: 0, stopped: null }])
  const audit = await project.run("audit", "--output", "json")
  expect(JSON.parse(audit.stdout).items[0]).toMatchObject({ action: "engine-move", via: "cli" })
})

test("an engine that was recreated in the old one's place is rejected", async () => {
  const { id } = await startPaused()
  const before = await snapshot(id)
  await serverEnded()
  await deleteEngine()
  // Another store in the same data directory creates the engine.
  const config = path.join(project.cwd, "other.yaml")
  await writeFile(config, stringify({ store: { url: `sqlite:${path.join(project.cwd, "other.db")}` } }))
  expect((await project.run("--config", config, "engine")).code).toBe(0)
  const { code, stderr } = await project.run("tree", id)
  expect([code, stderr]).toEqual([2, expect.stringContaining("adjutant engine move")])
  expect(await snapshot(id)).toEqual(before)
})

test("processes notice that the server at their address was replaced, and end no session", async () => {
  const first = await startPlainServer()
  server = first
  const { port } = first
  const env = { TEMPORAL_ADDRESS: first.address, ...quick }
  const { id } = await startPaused(env)
  const worker = project.startWith(env, "worker")
  const serve = project.startWith(env, "serve", "--port", "0")
  await Promise.all([worker.stderrHas("worker ready"), serve.stderrHas("listening on ")])
  const before = await snapshot(id)

  await first.stop()
  server = await startPlainServer(port)
  expect(await worker.ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("this store does not belong to"),
  })
  const url = /listening on (\S+)/.exec(serve.stderr())?.[1] ?? ""
  const ready = async () => {
    const response = await fetch(`${url}/readyz`)
    const body: { readonly engine?: string } = JSON.parse(await response.text())
    return { code: response.status, body }
  }
  await eventually(async () => (await ready()).body.engine === "other", { timeoutMs: 60_000 })
  expect(await ready()).toMatchObject({ code: 503, body: { status: "not ready", engine: "other" } })
  const session = await (await fetch(`${url}/v1/sessions/${id}`, { headers: await project.authorization() })).json()
  expect(session).toMatchObject({ status: "paused", engine_state: "unknown" })
  const sent = await fetch(`${url}/v1/sessions/${id}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(await project.authorization()) },
    body: JSON.stringify({ message: "continue", type: "follow_up" }),
  })
  expect([sent.status, await sent.json()]).toMatchObject([503, { code: "engine_mismatch" }])
  serve.child.kill("SIGTERM")
  await serve.ended
  expect(await snapshot(id)).toEqual(before)
})
