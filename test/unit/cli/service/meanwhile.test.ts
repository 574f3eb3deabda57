import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type OwnTasks, tellMeanwhile } from "../../../../cli/service/meanwhile.ts"
import { serviceFiles } from "../../../../service/service-files.ts"

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-meanwhile-"))
  mkdirSync(serviceFiles(dataDir).directory)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const hour = 3_600_000
const lastCommandAt = Math.floor(Date.now() / 1_000) * 1_000 - 2 * hour

/** ISO 8601. */
const hoursLater = (hours: number): string => new Date(lastCommandAt + hours * hour).toISOString()

/** A person used the data directory last at that time. */
const leave = (): void => {
  const { seen } = serviceFiles(dataDir)
  writeFileSync(seen, "")
  utimesSync(seen, lastCommandAt / 1_000, lastCommandAt / 1_000)
}

const task = (id: string, status: string, updated_at: string, parent: string | null = null) => ({
  ...{ id, status, updated_at, title: null, parent_session_id: parent },
})

const asked: unknown[] = []
const client = {
  list: async () => ({
    items: [
      task("child1", "completed", hoursLater(1), "later1"),
      task("later1", "completed", hoursLater(1)),
      task("later2", "failed", hoursLater(0.5)),
      task("works1", "running", hoursLater(1.5)),
      task("early1", "completed", hoursLater(-1)),
    ],
    next_cursor: null,
  }),
  usage: async (query: unknown) => {
    asked.push(query)
    return { items: [], total: { cost_usd: 0.12 } }
  },
} as unknown as OwnTasks["client"]

interface Place {
  readonly isTTY?: boolean
  readonly output?: "text" | "json"
  readonly env?: Readonly<Record<string, string>>
  readonly isServer?: boolean
}

const told = async ({ isTTY = true, output = "text", env = {}, isServer = false }: Place = {}): Promise<string> => {
  let text = ""
  const stderr = { isTTY, write: (part: string) => (text += part) }
  const context = { io: { stderr }, env, options: { output, verbose: false } } as unknown as Parameters<
    typeof tellMeanwhile
  >[0]
  const host = isServer ? { client } : { client, dataDir }
  expect(await tellMeanwhile(context, host, async () => "used")).toBe("used")
  return text
}

test("a person is told once which tasks ended since their last command, and what that cost", async () => {
  leave()
  expect(await told()).toBe(
    "since your last command ended 2 tasks (later1 completed, later2 failed), and model calls cost $0.12\n",
  )
  expect(asked.at(-1)).toEqual({ from: hoursLater(0) })
  expect(await told()).toBe("")
})

test.each<[string, Place]>([
  ["a program reads stderr", { isTTY: false }],
  ["the result is JSON", { output: "json" }],
  ["a CI system runs the command", { env: { CI: "true" } }],
  ["the tasks are those of a server", { isServer: true }],
])("nothing is told where %s, and the person is told later", async (_, place) => {
  leave()
  expect(await told(place)).toBe("")
  expect(await told()).toContain("ended 2 tasks")
})

test("nothing is told by the first command, and reading creates nothing", async () => {
  expect(await told()).toBe("")
  leave()
  rmSync(serviceFiles(dataDir).directory, { recursive: true })
  expect(await told()).toBe("")
  expect(readdirSync(dataDir)).toEqual([])
})

test("a store that cannot be read does not keep the command from running", async () => {
  leave()
  const broken = { ...client, list: () => Promise.reject(new Error("broken")) }
  const stderr = { isTTY: true, write: () => true }
  const context = { io: { stderr }, env: {}, options: { output: "text" } } as unknown as Parameters<
    typeof tellMeanwhile
  >[0]
  expect(await tellMeanwhile(context, { client: broken, dataDir }, async () => 7)).toBe(7)
})
