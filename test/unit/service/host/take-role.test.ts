import { setTimeout as delay } from "node:timers/promises"
import { pino } from "pino"
import { expect, it } from "vitest"
import { configSchema } from "../../../../contracts/config/config.ts"
import { serviceApi, type ServiceKind } from "../../../../contracts/service/service-status.ts"
import { tryLock } from "../../../../server/process/exclusive-lock.ts"
import { readAddress } from "../../../../service/ask-service.ts"
import { holdService } from "../../../../service/hold-service.ts"
import { takeRole } from "../../../../service/host/take-role.ts"
import { serveSocket } from "../../../../service/serve-socket.ts"
import { serviceFiles, socketPath } from "../../../../service/service-files.ts"
import { createTemporaryFolder } from "../../../helpers/store/store-under-test.ts"

/** A service that ends when it is asked to. `onStop` is called first. It answers from the beginning, or, if it `starts`, when `answer` is called. */
const startOther = async (dataDir: string, kind: ServiceKind, onStop: () => void = () => undefined, starts = false) => {
  const hold = holdService(dataDir)
  if (hold === undefined) throw new Error("the lock is held")
  const path = socketPath(dataDir)
  const socket = await serveSocket(path, () => undefined)
  const end = async (): Promise<void> => {
    await socket.close(0)
    hold.release({ clean: true })
  }
  const tasks = { running: 0, pending: 0, paused: 0 }
  const shown = { pid: process.pid, version: "1.0.0", api: serviceApi, kind, started_at: "", url: null }
  const answer = (): void =>
    socket.answerWith({
      status: async () => ({ ...shown, ...tasks, kept_by: null, problems: [] }),
      mayStop: async () => ({ stopping: true, waits: null }),
      stop: () => {
        onStop()
        void end()
      },
      register: async () => "",
      pageLink: () => ({ url: null, link: null }),
      answer: (_, response) => void response.writeHead(404).end(),
    })
  if (!starts) answer()
  hold.publish({ socket: path, pid: process.pid, version: "1.0.0", kind })
  return { answer, end }
}

const take = (dataDir: string, told: string[] = []) =>
  takeRole({
    loaded: { dataDir, config: configSchema.parse({}) },
    env: {},
    logger: pino({ enabled: false }),
    signal: new AbortController().signal,
    kind: "foreground",
    tell: (line) => void told.push(line),
  })

const isStartLocked = (dataDir: string): boolean => {
  const lock = tryLock(serviceFiles(dataDir).startLock)
  lock?.release()
  return lock === undefined
}

it("takes the place of a service that a command has started, and lets nobody start one meanwhile", async () => {
  const dataDir = await createTemporaryFolder()
  const locked: boolean[] = []
  await startOther(dataDir, "on-demand", () => locked.push(isStartLocked(dataDir)))
  const role = await take(dataDir)
  expect(locked).toEqual([true])
  expect(isStartLocked(dataDir)).toBe(false)
  expect(readAddress(dataDir)).toMatchObject({ kind: "foreground" })
  await role.end({ clean: true })
  expect(readAddress(dataDir)).toBeUndefined()
})

it("takes the place of such a service also while that starts", async () => {
  const dataDir = await createTemporaryFolder()
  const starting = await startOther(dataDir, "on-demand", undefined, true)
  const startLock = tryLock(serviceFiles(dataDir).startLock)
  const taking = take(dataDir)
  // However long the start takes, it is waited for.
  await delay(300)
  starting.answer()
  startLock?.release()
  const role = await taking
  expect(readAddress(dataDir)).toMatchObject({ kind: "foreground" })
  await role.end({ clean: true })
})

it("leaves a process in place that has taken over from such a service first", async () => {
  const dataDir = await createTemporaryFolder()
  const old = await startOther(dataDir, "on-demand")
  const startLock = tryLock(serviceFiles(dataDir).startLock)
  const told: string[] = []
  const second = take(dataDir, told)
  await old.end()
  let isAsked = false
  const first = await startOther(dataDir, "foreground", () => (isAsked = true))
  startLock?.release()
  const role = await second
  expect(isAsked).toBe(false)
  expect(role.service).toBeUndefined()
  expect(told).toHaveLength(1)
  await role.end({ clean: true })
  await first.end()
})

it("works in addition to a service in the foreground, and says so", async () => {
  const dataDir = await createTemporaryFolder()
  const other = await startOther(dataDir, "foreground")
  const told: string[] = []
  const role = await take(dataDir, told)
  expect(role.service).toBeUndefined()
  expect(told).toEqual([
    `the process ${process.pid} is the service of ${dataDir}; this one works in addition to it, and its end stops nothing`,
  ])
  await role.end({ clean: true })
  await other.end()
})
