import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { connect } from "../../../client/index.ts"
import { findService, readAddress, requestStop } from "../../../service/ask-service.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { createProject } from "../cli/program.ts"

const actor = { by: "release-bot", via: "library" }
const greeting = { main: { turns: [{ reply: { text: "Hello." } }] } }

it("is started for a program that starts a run where no worker is running", async () => {
  await using project = await createProject(greeting)
  // The service has another working directory than this program.
  const cwd = path.relative(process.cwd(), project.cwd)
  const client = await connect({ cwd, env: project.env, trust: true })
  try {
    expect(await findService(project.dataDir)).toBeUndefined()
    const { sessionId } = await client.start({ prompt: "hi", cwd: project.cwd })
    expect(await client.wait(sessionId)).toMatchObject({ outcome: "completed", final_message: "Hello." })
  } finally {
    await client.close()
  }
  expect((await findService(project.dataDir))?.status.kind).toBe("on-demand")
})

it("ends with the last program where nothing is to stay behind", async () => {
  await using project = await createProject(greeting, { CI: "true" })
  const client = await connect({ cwd: project.cwd, env: project.env, trust: true })
  try {
    const { sessionId } = await client.start({ prompt: "hi", cwd: project.cwd })
    expect(await client.wait(sessionId)).toMatchObject({ outcome: "completed" })
  } finally {
    await client.close()
  }
  expect(await findService(project.dataDir)).toBeUndefined()
})

it.each([
  [
    "one after the other",
    async (clients: readonly AdjutantClient[]) => {
      for (const client of clients) await client.close()
    },
  ],
  [
    "at the same moment",
    async (clients: readonly AdjutantClient[]) => {
      await Promise.all(clients.map((client) => client.close()))
    },
  ],
])("ends with a program whose clients are closed %s", async (_, closeAll) => {
  await using project = await createProject(greeting, { CI: "true" })
  const place = { cwd: project.cwd, env: project.env, trust: true }
  const clients = [await connect(place), await connect(place)]
  const outcomes = clients.map(async (client) => {
    const { sessionId } = await client.start({ prompt: "hi", cwd: project.cwd })
    return await client.wait(sessionId)
  })
  for (const outcome of outcomes) expect(await outcome).toMatchObject({ outcome: "completed" })
  expect(readAddress(project.dataDir)).toBeDefined()
  await closeAll(clients)
  expect(readAddress(project.dataDir)).toBeUndefined()
})

it("is not started for what is refused", async () => {
  await using project = await createProject(greeting)
  const client = await connect({ cwd: project.cwd, env: project.env, trust: true })
  try {
    const refused = { code: "model_not_found" }
    await expect(client.start({ prompt: "hi", model: "nothing", cwd: project.cwd })).rejects.toMatchObject(refused)
    await expect(client.startTask({ text: "hi", model: "nothing", cwd: project.cwd, actor })).rejects.toMatchObject(
      refused,
    )
    await expect(client.schedules.change("nightly", { change: "trigger", actor })).rejects.toMatchObject({
      code: "schedule_not_found",
    })
    expect(readAddress(project.dataDir)).toBeUndefined()
  } finally {
    await client.close()
  }
})

it("is started for a program that waits for a run which rests", async () => {
  await using project = await createProject(greeting)
  const place = { cwd: project.cwd, env: project.env, trust: true }
  // This program leaves the work to a worker of its own, which it does not start.
  const other = await connect({ ...place, customTools: [] })
  const { sessionId } = await other.start({ prompt: "hi", cwd: project.cwd })
  await other.close()
  expect(readAddress(project.dataDir)).toBeUndefined()
  const client = await connect(place)
  try {
    expect(await client.wait(sessionId)).toMatchObject({ outcome: "completed" })
  } finally {
    await client.close()
  }
})

it("is started again for a run that begins while it ends", async () => {
  await using project = await createProject(greeting)
  const place = { cwd: project.cwd, env: project.env, trust: true }
  const first = await connect(place)
  await using closers = new AsyncDisposableStack()
  const second = await connect(place)
  closers.defer(() => second.close())
  try {
    await first.wait((await first.start({ prompt: "hi", cwd: project.cwd })).sessionId)
  } finally {
    await first.close()
  }
  const found = await findService(project.dataDir)
  await untilPasses(async () => {
    const stop = { now: false, by: "last-command", leaves_deliveries: true } as const
    expect(await requestStop(found?.socket ?? "", stop)).toMatchObject({ stopping: true })
  })
  const { sessionId } = await second.start({ prompt: "hi", cwd: project.cwd })
  expect(await second.wait(sessionId, { timeoutSeconds: 100 })).toMatchObject({ outcome: "completed" })
})

it("is not started for a session that does not exist", async () => {
  await using project = await createProject(greeting)
  const client = await connect({ cwd: project.cwd, env: project.env, trust: true })
  const sessionId = "nobody1"
  const missing = { code: "session_not_found" }
  try {
    await expect(client.send({ sessionId, type: "message", text: "hi", actor })).rejects.toMatchObject(missing)
    await expect(
      client.decide({ sessionId, all: { action: "accept" }, unlisted: "pending", actor }),
    ).rejects.toMatchObject(missing)
    await expect(client.cancel(sessionId, actor)).rejects.toMatchObject(missing)
    await expect(client.retry(sessionId, actor)).rejects.toMatchObject(missing)
    await expect(client.fork({ sessionId, atStep: 1, actor })).rejects.toMatchObject(missing)
    expect(await findService(project.dataDir)).toBeUndefined()
  } finally {
    await client.close()
  }
})

it("does not run the code of a program that Node was given on its command line", async () => {
  await using project = await createProject(greeting)
  const library = new URL("../../../client/index.ts", import.meta.url).href
  const code = `
    const { connect } = await import(${JSON.stringify(library)})
    const client = await connect({ trust: true })
    const { sessionId } = await client.start({ prompt: "hi", cwd: process.cwd() })
    console.log((await client.wait(sessionId)).final_message)
    await client.close()`
  const options = ["--input-type=module", "--eval", code]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: project.cwd, env: project.env })
  expect(stdout).toBe("Hello.\n")
})
