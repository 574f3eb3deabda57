import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { Connection } from "@temporalio/client"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { connectTemporal } from "../../../server/connection/connect-temporal.ts"
import { ensureServer } from "../../../server/ensure-server.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { startPlainServer } from "../../helpers/engine/plain-server.ts"

/** A server as a user would run it: in memory, without our settings and search attributes. */
let address: string
let stop: () => Promise<void>

beforeAll(async () => {
  const server = await startPlainServer()
  address = server.address
  stop = server.stop
})
afterAll(() => stop())

const environment = (named: string): NodeJS.ProcessEnv => ({ HOME: import.meta.dirname, TEMPORAL_ADDRESS: named })
const dataDir = join(import.meta.dirname, "never-used")

test("the server in TEMPORAL_ADDRESS is used, and gets the search attributes of sessions", async () => {
  const server = await ensureServer({ dataDir, env: environment(address) })
  expect(server).toMatchObject({ kind: "external", address, namespace: "default", hasSearchAttributes: true })
  const connection = await Connection.connect({ address })
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: "default" })
  await connection.close()
  expect(Object.keys(customAttributes)).toEqual(
    expect.arrayContaining(["AgentStatus", "AgentProfile", "RootSession", "ParentSession"]),
  )
  await server.release()
})

test("client and worker connections reach it, and the worker's connection is made once", async () => {
  const env = environment(address)
  const temporal = await connectTemporal(await ensureServer({ dataDir, env }), env, { identity: "somebody" })
  const [first, second] = await Promise.all([temporal.nativeConnection(), temporal.nativeConnection()])
  expect(first).toBe(second)
  await temporal.client.workflow.start("waits", { workflowId: "external-1", taskQueue: "nobody" })
  const { status } = await temporal.client.workflow.getHandle("external-1").describe()
  await temporal.close()
  expect(status.name).toBe("RUNNING")
})

test("attributes of another type cause a warning, and the server is still used", async () => {
  const { path } = await ensureTemporalProgram({ env: process.env })
  const ns = "foreign"
  const operator = (...args: readonly string[]) =>
    once(spawn(path, ["operator", ...args, "--address", address], { stdio: "ignore" }), "exit")
  await operator("namespace", "create", "--namespace", ns)
  await operator("search-attribute", "create", "--namespace", ns, "--name", "AgentStatus", "--type", "Int")
  const warn = vi.fn<(message: string) => void>()
  const env = { ...environment(address), TEMPORAL_NAMESPACE: ns }
  const server = await ensureServer({ dataDir, env, logger: { info: () => undefined, warn } })
  expect(server).toMatchObject({ namespace: ns, hasSearchAttributes: false })
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("AgentStatus exists with a type other than Keyword"))
})

test("the error for a namespace that does not exist names it", async () => {
  const env = { ...environment(address), TEMPORAL_NAMESPACE: "nowhere" }
  await expect(ensureServer({ dataDir, env })).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringContaining('no namespace "nowhere"'),
  })
})

test("the error for an address without a listener names it, within the time allowed", async () => {
  await expect(ensureServer({ dataDir, env: environment("127.0.0.1:1"), connectTimeoutMs: 300 })).rejects.toMatchObject(
    {
      code: "temporal_unavailable",
      message: expect.stringContaining("127.0.0.1:1 did not answer"),
    },
  )
})

test("a program that accepts connections and never answers is an error too", async () => {
  const mute = createServer().listen(0, "127.0.0.1")
  await once(mute, "listening")
  const bound = mute.address()
  const named = typeof bound === "object" && bound !== null ? `127.0.0.1:${bound.port}` : ""
  await expect(ensureServer({ dataDir, env: environment(named), connectTimeoutMs: 300 })).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringContaining(named),
  })
  mute.close()
})
