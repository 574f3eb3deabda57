import { expect, test } from "vitest"
import { type ServerSettings, serverArguments } from "../../../../server/keeper/server-arguments.ts"

const settings = {
  port: 17_001,
  httpPort: 17_002,
  apiHost: "a1b2.invalid",
  metricsPort: 10_080,
  ui: { host: "127.3.4.5", port: 6_669 },
  database: "/data/temporal.db",
  synchronous: "full",
} as const

const argumentsOf = (over: Partial<ServerSettings> = {}) => serverArguments({ ...settings, ...over })
const args = argumentsOf()
const valuesOf = (flag: string): readonly (string | undefined)[] =>
  args.flatMap((arg, index) => (arg === flag ? [args[index + 1]] : []))

test("the server listens only on loopback, at the given ports", () => {
  expect(valuesOf("--ip")).toEqual(["127.0.0.1"])
  expect(valuesOf("--port")).toEqual(["17001"])
  expect(valuesOf("--http-port")).toEqual(["17002"])
  expect(valuesOf("--metrics-port")).toEqual(["10080"])
})

test("the UI listens at its own address, or is not served", () => {
  expect(valuesOf("--ui-ip")).toEqual(["127.3.4.5"])
  expect(valuesOf("--ui-port")).toEqual(["6669"])
  const headless = argumentsOf({ ui: undefined })
  expect(headless).toContain("--headless")
  expect(headless).not.toContain("--ui-ip")
})

test("the HTTP API answers one host only, and Nexus is disabled", () => {
  expect(valuesOf("--dynamic-config-value")).toEqual(
    expect.arrayContaining(['frontend.httpAllowedHosts=["a1b2.invalid"]', "system.enableNexus=false"]),
  )
})

test("SQLite uses a write-ahead log with the requested durability", () => {
  expect(valuesOf("--sqlite-pragma")).toEqual(expect.arrayContaining(["journal_mode=wal", "synchronous=full"]))
})

test("queues are polled as often as needed, and activities come with the answer", () => {
  expect(valuesOf("--dynamic-config-value")).toEqual(
    expect.arrayContaining([
      "history.transferProcessorMaxPollRPS=2000",
      "history.timerProcessorMaxPollRPS=2000",
      "history.visibilityProcessorMaxPollRPS=200",
      'history.timerProcessorMaxTimeShift="10ms"',
      "system.enableActivityEagerExecution=true",
    ]),
  )
})

test("the search attributes of sessions are registered", () => {
  expect(valuesOf("--search-attribute")).toEqual([
    "AgentStatus=Keyword",
    "AgentProfile=Keyword",
    "RootSession=Keyword",
    "ParentSession=Keyword",
  ])
})
