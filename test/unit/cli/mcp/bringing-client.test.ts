import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { bringingClient } from "../../../../cli/mcp/bringing-client.ts"
import { serviceFiles } from "../../../../service/service-files.ts"

const open = ({ hasWorker = true }: { readonly hasWorker?: boolean } = {}) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "adjutant-bringing-"))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const calls: unknown[][] = []
  const record =
    (name: string, result: unknown = {}) =>
    async (...args: readonly unknown[]) => {
      calls.push([name, ...args])
      return result
    }
  const host = {
    loaded: { dataDir },
    newSessionId: async () => "new123",
    handOver: record("handOver", undefined),
    client: {
      hasWorker: async () => hasWorker,
      info: async () => ({ root_session_id: "root12" }),
      spawn: record("spawn"),
      decide: record("decide"),
      wait: record("wait"),
    },
  }
  // Only what the client uses.
  const client = bringingClient(host as unknown as Parameters<typeof bringingClient>[0])
  return { client, calls, dataDir }
}

it("brings the service what a tree needs before it starts or resumes the tree", async () => {
  const { client, calls } = open()
  await client.spawn({} as Parameters<typeof client.spawn>[0])
  await client.decide({ sessionId: "abc123" } as Parameters<typeof client.decide>[0])
  await client.wait("abc123")
  expect(calls).toEqual([
    ["handOver", "new123"],
    ["spawn", { sessionId: "new123" }],
    ["handOver", "root12"],
    ["decide", { sessionId: "abc123" }],
    ["handOver", null],
    ["wait", "abc123"],
  ])
})

it("does not start a service that a person has stopped", async () => {
  const { client, calls, dataDir } = open({ hasWorker: false })
  const { directory, stopped } = serviceFiles(dataDir)
  mkdirSync(directory, { recursive: true })
  writeFileSync(stopped, "{}")
  await expect(client.wait("abc123")).rejects.toMatchObject({ code: "service_stopped" })
  expect(calls).toEqual([])
})
