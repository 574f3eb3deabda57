import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { mkdirSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { serviceApi } from "../../../contracts/service/service-status.ts"
import { findService, findUsableService, registerTree } from "../../../service/ask-service.ts"
import { type ServedSocket, serveSocket } from "../../../service/serve-socket.ts"
import { serviceFiles } from "../../../service/service-files.ts"

let dataDir: string
let served: ServedSocket | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-ask-"))
})
afterEach(async () => {
  await served?.close(0)
  await rm(dataDir, { recursive: true, force: true })
})

const socketOf = (): string => path.join(serviceFiles(dataDir).directory, "socket")

const serve = async (api: number, register: () => Promise<string> = async () => "r1"): Promise<void> => {
  const files = serviceFiles(dataDir)
  mkdirSync(files.directory, { recursive: true })
  served = await serveSocket(socketOf(), () => undefined)
  served.answerWith({
    status: async () => ({
      ...{ pid: 7, version: "9.9.9", api, kind: "on-demand", started_at: "2026-11-21T10:00:00.000Z", url: null },
      ...{ running: 0, pending: 0, paused: 0, kept_by: null, problems: [] },
    }),
    mayStop: async () => ({ stopping: true, waits: null }),
    stop: () => undefined,
    pageLink: () => ({ url: null, link: null }),
    register,
    answer: (_request, response) => void response.end(),
  })
  await writeFile(files.address, JSON.stringify({ socket: socketOf(), pid: 7 }))
}

const registration = {
  root_id: "r1",
  cwd: "/srv",
  config_path: null,
  is_trusted: false,
  env: {},
  needs_keys: false,
  temporal_address: null,
  is_followed: false,
}

it("finds a service of another version, and refuses to leave work to one with another interface", async () => {
  await serve(serviceApi)
  expect((await findUsableService(dataDir))?.status.version).toBe("9.9.9")
  await served?.close(0)
  await serve(serviceApi + 1)
  expect((await findService(dataDir))?.status.version).toBe("9.9.9")
  await expect(findUsableService(dataDir)).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringMatching(/is Adjutant 9\.9\.9 .* and this is \d+\.\d+/),
  })
})

it("is told why a service cannot use a configuration", async () => {
  await serve(serviceApi, () =>
    Promise.reject(new AdjutantError("invalid_config", "adjutant.config.yaml:1: no such key")),
  )
  await expect(registerTree(socketOf(), registration)).rejects.toMatchObject({
    code: "invalid_config",
    message: "adjutant.config.yaml:1: no such key",
  })
  await expect(registerTree(socketOf(), { ...registration, root_id: "" })).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining("expects other fields"),
  })
})
