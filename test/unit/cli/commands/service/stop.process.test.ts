import { mkdirSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { expect, it } from "vitest"
import { runCli } from "../../../../../cli/run-cli.ts"
import { serviceApi } from "../../../../../contracts/service/service-status.ts"
import { serveSocket } from "../../../../../service/serve-socket.ts"
import { serviceFiles } from "../../../../../service/service-files.ts"
import { stubEnvironment } from "../../stub-environment.ts"

it.each([
  [["--now"], "the service is stopping\n"],
  [[], "the service is stopping: calls in flight finish first\n"],
])("adjutant service stop %j says whether calls in flight finish first", async (flags, line) => {
  const cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-test-"))
  const dataDir = path.join(cwd, "data")
  const files = serviceFiles(dataDir)
  mkdirSync(files.directory, { recursive: true, mode: 0o700 })
  const socket = path.join(files.directory, "socket")
  const served = await serveSocket(socket, () => undefined)
  const asked: boolean[] = []
  served.answerWith({
    status: async () => ({
      ...{ pid: 7, version: "9.9.9", api: serviceApi, kind: "on-demand", started_at: "2026-11-21T10:00:00.000Z" },
      ...{ url: null, running: 0, pending: 0, paused: 0, kept_by: null, problems: [] },
    }),
    mayStop: async () => ({ stopping: true, waits: null }),
    stop: ({ now }) => void asked.push(now),
    pageLink: () => ({ url: null, link: null }),
    register: async () => "k3x9ab",
    answer: () => undefined,
  })
  await writeFile(files.address, JSON.stringify({ socket, pid: 7 }))
  try {
    const { environment, written } = stubEnvironment({ cwd })
    expect(await runCli(["service", "stop", "--data-dir", dataDir, ...flags], environment)).toBe(0)
    expect(written).toEqual({ stdout: "The service has stopped. No task is open.\n", stderr: line })
    expect(asked).toEqual([flags.length > 0])
  } finally {
    await served.close(0)
    await rm(cwd, { recursive: true, force: true })
  }
})
