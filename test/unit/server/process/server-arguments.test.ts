import { expect, test } from "vitest"
import { type ServerSettings, serverArguments } from "../../../../server/process/server-arguments.ts"

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

test("the server listens on loopback only, where it is told to", () => {
  expect(valuesOf("--ip")).toEqual(["127.0.0.1"])
  expect(valuesOf("--port")).toEqual(["17001"])
  expect(valuesOf("--http-port")).toEqual(["17002"])
  expect(valuesOf("--metrics-port")).toEqual(["10080"])
})

test("the UI listens at an address of its own, or is not served", () => {
  expect(valuesOf("--ui-ip")).toEqual(["127.3.4.5"])
  expect(valuesOf("--ui-port")).toEqual(["6669"])
  const headless = argumentsOf({ ui: undefined })
  expect(headless).toContain("--headless")
  expect(headless).not.toContain("--ui-ip")
})

test("the HTTP API answers one host only, and Nexus is off", () => {
  expect(valuesOf("--dynamic-config-value")).toEqual(
    expect.arrayContaining(['frontend.httpAllowedHosts=["a1b2.invalid"]', "system.enableNexus=false"]),
  )
})

test("SQLite writes ahead, and as safely as asked", () => {
  expect(valuesOf("--sqlite-pragma")).toEqual(expect.arrayContaining(["journal_mode=wal", "synchronous=full"]))
})

test("queues are read as often as needed, and activities come with the answer", () => {
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

test("the attributes that sessions are found by are registered", () => {
  expect(valuesOf("--search-attribute")).toEqual([
    "AgentStatus=Keyword",
    "AgentProfile=Keyword",
    "RootSession=Keyword",
    "ParentSession=Keyword",
  ])
})
