import { expect, it } from "vitest"
import { createClosers } from "../../../../service/host/closers.ts"
import type { OpenedHost } from "../../../../service/host/opened-host.ts"
import { startHostWorker, type WorkerModules } from "../../../../service/host/start-host-worker.ts"

it("closes the connection only after a worker that was starting has stopped", async () => {
  const steps: string[] = []
  const closers = createClosers()
  closers.add(async () => void steps.push("connection closed"))
  let start: () => void = () => undefined
  const started = new Promise<void>((resolve) => (start = resolve))
  const modules = {
    installRuntime: () => undefined,
    configuredSurroundings: () => ({}),
    startWorker: async () => {
      await started
      steps.push("worker started")
      return { stop: async () => void steps.push("worker stopped") }
    },
  } as unknown as WorkerModules
  const opened = {
    env: {},
    loaded: { config: { timing: {}, schedules: {} }, dataDir: "/data" },
    closers,
    logger: { child: () => undefined },
    server: { kind: "embedded", namespace: "default" },
    temporal: { nativeConnection: async () => ({}) },
  } as unknown as OpenedHost
  const starting = startHostWorker(opened, modules, { logsEngine: true })
  await Promise.resolve()
  await Promise.resolve()
  const closing = closers.closeAll()
  start()
  await Promise.all([starting, closing])
  expect(steps).toEqual(["worker started", "worker stopped", "connection closed"])
})
