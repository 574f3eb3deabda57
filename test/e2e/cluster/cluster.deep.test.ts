import { execFile } from "node:child_process"
import { access, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Client, Connection } from "@temporalio/client"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { outcomeDocumentSchema } from "../../../contracts/session/outcome-document.ts"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../scripts/cluster/private-postgres.ts"
import { startTemporalServer, type TemporalCluster } from "../../../scripts/cluster/start-temporal-server.ts"
import { findTemporalServer } from "../../../scripts/cluster/temporal-server-programs.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { describeWith } from "../../helpers/needs.ts"
import { createProject, type Ended, type ProjectDirectory, startProgram, type Started } from "../cli/program.ts"

const run = promisify(execFile)
const programs = findTemporalServer(process.env)
const postgresPrograms = await findPostgresPrograms()
const needs = [
  { name: "the Temporal server, which scripts/ensure-temporal-server.ts builds", isAvailable: programs !== undefined },
  { name: "PostgreSQL", isAvailable: postgresPrograms !== undefined },
]

const write = (id: string, file: string) => ({ id, name: "Write", arguments: { file_path: file, content: `${id}\n` } })

const models = {
  main: {
    conversations: [
      {
        when: { user: "^write" },
        turns: [{ reply: { text: "May I?", tool_calls: [write("call_a", "a.txt")] } }, { reply: { text: "Written." } }],
      },
      {
        when: { user: "^copy" },
        turns: [{ reply: { text: "May I?", tool_calls: [write("call_b", "b.txt")] } }, { reply: { text: "Copied." } }],
      },
      {
        when: { user: "^deploy" },
        turns: [
          { reply: { tool_calls: [write("call_plan", "plan.txt")] } },
          { reply: { tool_calls: [write("call_deploy", "prod.log")] } },
          { reply: { tool_calls: [{ name: "finish", arguments: { result: "Deployed." } }] } },
        ],
      },
      { turns: [{ reply: { text: "Hello." } }] },
    ],
  },
  slow: { turns: [{ reply: { text: "At last.", delay_ms: 2_000 } }] },
}

const documentOf = (ended: Ended) => {
  expect(ended.stdout, ended.stderr).not.toBe("")
  return outcomeDocumentSchema.parse(JSON.parse(ended.stdout))
}

describeWith(needs, "a Temporal cluster and a store on PostgreSQL", () => {
  const namespace = "agents"
  const stack = new AsyncDisposableStack()
  let postgres: PrivatePostgres
  let temporal: TemporalCluster
  let project: ProjectDirectory

  const startWorker = async (): Promise<Started> => {
    const worker = project.start("worker")
    await worker.stderrHas("worker ready")
    return worker
  }

  const start = async (...words: readonly string[]) => {
    const document = documentOf(await project.run("run", "--detach", "--output", "json", ...words))
    expect(document.outcome).toBe("started")
    return document
  }

  beforeAll(async () => {
    if (programs === undefined || postgresPrograms === undefined) return
    const folder = await mkdtemp(path.join(tmpdir(), "adjutant-cluster-"))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    postgres = await startPrivatePostgres(postgresPrograms)
    stack.defer(() => postgres.stop())
    const cli = await ensureTemporalProgram({ env: process.env })
    temporal = await startTemporalServer({ programs, cli: cli.path, postgres, folder, namespace })
    stack.defer(() => temporal.stop())
    project = await createProject(models, {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: namespace,
      PGPASSWORD_FILE: temporal.storePasswordFile,
      ADJUTANT_TRUST: "1",
    })
    stack.defer(() => project.remove())
    const config = path.join(project.cwd, "adjutant.config.yaml")
    await writeFile(config, `${await readFile(config, "utf8")}\nstore: { url: "${temporal.storeUrl}" }\n`)
  })
  afterAll(() => stack.disposeAsync())

  it("carries a detached run in this machine's service, and in another process while a worker is one", async () => {
    const service = async () => (await findService(project.dataDir))?.status.pid
    expect(await service()).toBeUndefined()
    const carried = await start("hi")
    const pid = await service()
    expect(pid).toBeGreaterThan(0)
    const done = documentOf(await project.run("wait", carried.task_id, "--output", "json"))
    expect(done).toMatchObject({ outcome: "completed", final_message: "Hello." })
    expect((await project.run("service", "stop")).code).toBe(0)
    await eventually(async () => (await service()) === undefined)

    const worker = await startWorker()
    const started = await start("hi")
    const waited = documentOf(await project.run("wait", started.task_id, "--output", "json"))
    expect(waited).toMatchObject({ outcome: "completed", final_message: "Hello." })
    worker.child.kill("SIGTERM")
    expect((await worker.ended).code).toBe(0)
  })

  it("pauses in one process, is approved from another, and continues in a third", async () => {
    const worker = await startWorker()
    const started = await start("write a file", "--pause-on-approval")
    const paused = await project.run("wait", started.task_id, "--output", "json")
    expect(paused.code).toBe(10)
    const document = documentOf(paused)
    if (document.outcome !== "paused") throw new Error(`not paused but ${document.outcome}`)
    await expect(access(path.join(project.cwd, "a.txt"))).rejects.toThrow("ENOENT")
    worker.child.kill("SIGKILL")
    await worker.ended

    const approved = await project.run("run", "-c", document.checkpoint_id, "--approve-all", "--output", "json")
    expect(documentOf(approved)).toMatchObject({ agent_message: "Written.", pause_reason: { type: "input_required" } })
    expect(await readFile(path.join(project.cwd, "a.txt"), "utf8")).toBe("call_a\n")
    await project.run("cancel", started.task_id)
  })

  it("continues in another worker if one is killed in the middle of a step", async () => {
    const first = await startWorker()
    const started = await start("go", "--model", "slow")
    await eventually(async () => (await project.run("log", started.task_id)).stdout !== "")
    first.child.kill("SIGKILL")
    await first.ended
    const second = await startWorker()
    const waited = documentOf(await project.run("wait", started.task_id, "--output", "json"))
    expect(waited).toMatchObject({ outcome: "completed", final_message: "At last." })
    second.child.kill("SIGTERM")
    expect((await second.ended).code).toBe(0)
  })

  it("continues on another machine that has the directory, and on one with a new name, without a server", async () => {
    const states = path.join(path.dirname(project.cwd), "states")
    const job = (machine: string, cwd: string, ...argv: readonly string[]): Promise<Ended> => {
      const env = { ...project.env, CI: "true", ADJUTANT_MACHINE: machine, XDG_STATE_HOME: path.join(states, machine) }
      return startProgram({ cwd, env }, [...argv, "--output", "json"]).ended
    }
    const first = documentOf(await job("first", project.cwd, "run", "--pause-on-approval", "deploy it"))
    if (first.outcome !== "paused") throw new Error(`not paused but ${first.outcome}`)
    const approve = ["run", "-c", first.checkpoint_id, "--approve-all"]

    // The other machine has the checkout at another path, and then at the same one.
    const [before, elsewhere] = [`${project.cwd}-before`, path.join(path.dirname(project.cwd), "checkout")]
    await rename(project.cwd, before)
    await cp(before, elsewhere, { recursive: true })
    const refused = await job("second", elsewhere, ...approve)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`works in ${project.cwd} on the machine first, which has no worker`),
    ])
    await cp(before, project.cwd, { recursive: true })
    const moved = await job("second", project.cwd, ...approve)
    expect(moved.stderr).toContain("is taken over from the machine first")
    expect(documentOf(moved)).toMatchObject({ outcome: "paused", task_id: first.task_id })
    expect(await readFile(path.join(project.cwd, "plan.txt"), "utf8")).toBe("call_plan\n")

    const renamed = await job("renamed", project.cwd, "resume", first.task_id, "--approve-all")
    // It is the same directory: nothing is taken over.
    expect(renamed.stderr).not.toContain("is taken over")
    expect(documentOf(renamed)).toMatchObject({ outcome: "completed", final_message: "Deployed." })
    expect(await readFile(path.join(project.cwd, "prod.log"), "utf8")).toBe("call_deploy\n")
  })

  it("keeps its sessions only in PostgreSQL, and lets the engine find them by search attribute", async () => {
    await expect(access(path.join(project.dataDir, "store.db"))).rejects.toThrow("ENOENT")
    const client = new pg.Client({ connectionString: postgres.url("adjutant") })
    await client.connect()
    const { rows } = await client.query(
      "select status, count(*)::int as n from sessions group by status order by status",
    )
    await client.end()
    expect(rows).toEqual([
      { status: "cancelled", n: 1 },
      { status: "completed", n: 4 },
    ])

    // The store reports an end before the engine does: a worker that was stopped in between leaves the rest to
    // the next one.
    const worker = await startWorker()
    const connection = await Connection.connect({ address: temporal.address })
    try {
      const engine = new Client({ connection, namespace })
      await eventually(async () => (await engine.workflow.count('AgentStatus = "completed"')).count === 4)
    } finally {
      await connection.close()
    }
    worker.child.kill("SIGTERM")
    expect((await worker.ended).code).toBe(0)
  })

  it("continues from copies that were made in the documented order, without what came between them", async () => {
    const dump = async (database: string): Promise<string> =>
      (await run(path.join(postgres.programs, "pg_dump"), [postgres.url(database)], { maxBuffer: 512 * 1024 ** 2 }))
        .stdout
    const restore = async (database: string, owner: string, copy: string): Promise<void> => {
      await postgres.query(`drop database ${database} with (force)`)
      await postgres.query(`create database ${database} owner ${owner} encoding 'UTF8' template template0`)
      const restoring = run(path.join(postgres.programs, "psql"), ["-qv", "ON_ERROR_STOP=1", postgres.url(database)])
      restoring.child.stdin?.end(copy)
      await restoring
    }
    const worker = await startWorker()
    const started = await start("copy a file", "--pause-on-approval")
    const paused = documentOf(await project.run("wait", started.task_id, "--output", "json"))
    if (paused.outcome !== "paused") throw new Error(`not paused but ${paused.outcome}`)

    // Temporal first: rows of the store without a history are harmless.
    const copies = { temporal: await dump("temporal"), temporal_visibility: await dump("temporal_visibility") }
    const between = await start("hi")
    expect(documentOf(await project.run("wait", between.task_id, "--output", "json")).outcome).toBe("completed")
    const store = await dump("adjutant")
    worker.child.kill("SIGKILL")
    await worker.ended
    await temporal.restart(async () => {
      for (const [database, copy] of Object.entries(copies)) await restore(database, "temporal", copy)
      await restore("adjutant", "adjutant", store)
    })

    const next = await startWorker()
    const approved = await project.run("run", "-c", paused.checkpoint_id, "--approve-all", "--output", "json")
    expect(documentOf(approved)).toMatchObject({ agent_message: "Copied." })
    expect(await readFile(path.join(project.cwd, "b.txt"), "utf8")).toBe("call_b\n")
    expect(documentOf(await project.run("wait", between.task_id, "--output", "json")).outcome).toBe("completed")
    expect(documentOf(await project.run("run", "hi", "--output", "json")).outcome).toBe("completed")
    next.child.kill("SIGTERM")
    expect((await next.ended).code).toBe(0)
  })
})
