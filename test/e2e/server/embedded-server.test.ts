import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"
import { Worker } from "@temporalio/worker"
import { afterEach, beforeEach, expect, test } from "vitest"
import { connectTemporal } from "../../../server/connection/connect-temporal.ts"
import { diagnose } from "../../../server/diagnose/diagnose.ts"
import { ensureServer } from "../../../server/ensure-server.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { probeServer } from "../../../server/process/probe-server.ts"
import { isAlive, signalProcess, type ProcessIdentity } from "../../../server/process/process-identity.ts"
import { serverFiles } from "../../../server/process/server-files.ts"
import { keeperOf, type ServerRecord } from "../../../server/keeper/server-record.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { startUser, type ServerUser } from "./server-user.ts"

let dataDir: string
let users: ServerUser[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-server-"))
  users = []
})

afterEach(async () => {
  const record = liveRecord(dataDir)
  await Promise.all(users.map((user) => user.kill()))
  if (record !== undefined) await hasEnded(record)
  rmSync(dataDir, { recursive: true, force: true })
})

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  TEMPORAL_CONFIG_FILE: join(dataDir, "none.toml"),
  ADJUTANT_SERVER_LINGER_MS: "100",
  ANTHROPIC_API_KEY: "secret-of-the-user",
})

const addUser = async (): Promise<ServerUser> => {
  const user = await startUser(dataDir, environment())
  users.push(user)
  return user
}

const recordNow = (): ServerRecord => {
  const record = liveRecord(dataDir)
  if (record === undefined) throw new Error("no server is running")
  return record
}

const kill = async (identity: ProcessIdentity): Promise<void> => {
  signalProcess(identity, "SIGKILL")
  await eventually(() => !isAlive(identity))
}

const hasEnded = (record: ServerRecord): Promise<void> =>
  eventually(() => !isAlive(record) && (record.guard === undefined || !isAlive(record.guard)))

const answers = (address: string): Promise<boolean> => probeServer(address, "default", 2_000)

const showsUi = async ({ uiUrl = "" }: ServerRecord): Promise<boolean> => (await fetch(`${uiUrl}/api/v1/settings`)).ok

/** Runs the real program with the arguments that a script accepts. */
const putTemporal = async (script: string): Promise<NodeJS.ProcessEnv> => {
  const { path } = await ensureTemporalProgram({ env: process.env })
  const bin = join(dataDir, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "temporal"), `#!/bin/sh\n${script}\nexec '${path}' "$@"\n`, { mode: 0o755 })
  return { ...environment(), PATH: `${bin}:${process.env["PATH"]}` }
}

describeInDeepRun("processes that start, exit and die", () => {
  test("ten commands that start at once share one server, which ends with the last of them", async () => {
    const started = await Promise.all(Array.from({ length: 10 }, addUser))
    const record = recordNow()
    expect(new Set(started.map((user) => user.address))).toEqual(new Set([record.address]))
    expect(started.every((user) => user.hasSearchAttributes)).toBe(true)

    await Promise.all(started.slice(1).map((user) => user.leave()))
    expect(await answers(record.address)).toBe(true)
    await started[0]?.leave()
    await hasEnded(record)
    const files = serverFiles(dataDir)
    expect(readdirSync(files.users)).toEqual([])
    expect(readdirSync(files.directory)).not.toContain("server.json")
  })

  test("a server whose users were killed is ended by its guard", async () => {
    const user = await addUser()
    const record = recordNow()
    await user.kill()
    expect(isAlive(record)).toBe(true)
    await hasEnded(record)
  })

  test("the first user that leaves hands the server over to another one, without a restart", async () => {
    const first = await addUser()
    const before = recordNow()
    expect(before.keeperPid).toBe(first.pid)
    const second = await addUser()
    await first.leave()
    await eventually(() => liveRecord(dataDir)?.keeperPid === second.pid)
    expect(recordNow()).toMatchObject({ pid: before.pid, address: before.address })
    await eventually(() => showsUi(recordNow()))
    await second.leave()
    await hasEnded(before)
  })

  test("a server that dies restarts at the same address while it has users", async () => {
    const user = await addUser()
    const died = recordNow()
    await kill(died)
    await eventually(async () => recordNow().pid !== died.pid && (await answers(user.address)))
    expect(recordNow()).toMatchObject({ address: died.address, uiUrl: died.uiUrl, keeperPid: died.keeperPid })
    await eventually(() => showsUi(died))
  })

  test("another user takes the place of one that dies and kept the server, and ends it", async () => {
    await addUser()
    const user = await addUser()
    const before = recordNow()
    await kill(keeperOf(before))
    await eventually(() => liveRecord(dataDir) !== undefined)
    const after = recordNow()
    expect(after).toMatchObject({ pid: before.pid, address: before.address, keeperPid: user.pid })
    await eventually(() => showsUi(after))
    await user.leave()
    await hasEnded(after)
  })

  test("the server is started again by another user if it dies together with the one that kept it", async () => {
    await addUser()
    const user = await addUser()
    const before = recordNow()
    await kill(keeperOf(before))
    await kill(before)
    await eventually(async () => liveRecord(dataDir) !== undefined && (await answers(user.address)))
    expect(recordNow().pid).not.toBe(before.pid)
  })

  test("a server whose users all died is adopted by the next user", async () => {
    const first = await startUser(dataDir, { ...environment(), ADJUTANT_SERVER_LINGER_MS: "10000" })
    const before = recordNow()
    await first.kill()
    expect(isAlive(before)).toBe(true)
    const second = await addUser()
    expect(second.address).toBe(before.address)
    expect(recordNow().pid).toBe(before.pid)
  })
})

test("a program that would accept web pages is not used", async () => {
  const env = await putTemporal(
    'for arg do shift; case "$arg" in frontend.httpAllowedHosts=*) arg=frontend.unknown=1 ;; esac; set -- "$@" "$arg"; done',
  )
  await expect(ensureServer({ dataDir, env })).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringContaining("opens its HTTP API to web pages"),
  })
})

describeInDeepRun("restarts and left-overs", () => {
  test("a restarted server has the same ports and the same workflows", async () => {
    const env = environment()
    const first = await ensureServer({ dataDir, env })
    const before = recordNow()
    const temporal = await connectTemporal(first, env)
    await temporal.client.workflow.start("waitsForAWorker", { workflowId: "kept", taskQueue: "nobody" })
    await temporal.close()
    await first.release()
    await hasEnded(before)

    const second = await ensureServer({ dataDir, env })
    expect(second).toMatchObject({ address: first.address, uiUrl: first.uiUrl, hasSearchAttributes: true })
    const again = await connectTemporal(second, env)
    const { status } = await again.client.workflow.getHandle("kept").describe()
    await again.close()
    await second.release()
    expect(status.name).toBe("RUNNING")
  })

  test("a server ends if its data directory was removed", async () => {
    await addUser()
    const record = recordNow()
    rmSync(dataDir, { recursive: true, force: true })
    await hasEnded(record)
  })
})

test.runIf(process.platform === "linux")(
  "neither the server nor its guard receives the user's secrets",
  async () => {
    await addUser()
    const record = recordNow()
    for (const pid of [record.pid, record.guard?.pid]) {
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("secret-of-the-user")
    }
  },
  60_000,
)

test("the error for a program that does not start gives the reason and names the log", async () => {
  const bin = join(dataDir, "bin")
  const fake =
    "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'; exit; }\n"
  mkdirSync(bin)
  writeFileSync(join(bin, "temporal"), `${fake}echo 'Error: disk image is malformed' >&2; exit 1\n`, { mode: 0o755 })
  const env = { ...environment(), PATH: `${bin}:${process.env["PATH"]}` }
  await expect(ensureServer({ dataDir, env })).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringContaining(serverFiles(dataDir).log),
  })
  expect(readdirSync(serverFiles(dataDir).users)).toEqual([])
})

test("the doctor reports the server, its users and its search attributes", async () => {
  const user = await addUser()
  const findings = await diagnose({
    dataDir,
    env: environment(),
    detectSandbox: () => ({ kind: "bubblewrap", confined: true }),
  })
  const server = findings.find(({ name }) => name === "server")
  expect(server).toMatchObject({ status: "ok", detail: expect.stringContaining(`test (pid ${user.pid})`) })
  expect(server?.detail).toContain(user.address)
  expect(server?.detail).toContain("search attributes registered")
})

test("a server that has just become ready runs a workflow with search attributes at once", async () => {
  const env = environment()
  const server = await ensureServer({ dataDir, env })
  const record = recordNow()
  const temporal = await connectTemporal(server, env)
  const worker = await Worker.create({
    connection: await temporal.nativeConnection(),
    taskQueue: "greetings",
    workflowsPath: join(import.meta.dirname, "greeting-workflow.ts"),
    activities: { greet: async (name: string) => `hello ${name}` },
  })
  const options = { taskQueue: "greetings", workflowId: "greeting", args: ["you"] }
  const result = await worker.runUntil(
    temporal.client.workflow.execute("greeting", {
      ...options,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey("AgentStatus", SearchAttributeType.KEYWORD), value: "running" },
      ],
    }),
  )
  await temporal.close()
  await server.release()
  await hasEnded(record)
  expect(result).toBe("hello you")
})

test("an aborted wait for a server leaves no user behind", async () => {
  const abort = new AbortController()
  const starting = ensureServer({ dataDir, env: environment(), signal: abort.signal })
  abort.abort(new Error("enough"))
  await expect(starting).rejects.toThrow("enough")
  expect(readdirSync(serverFiles(dataDir).users)).toEqual([])
})
