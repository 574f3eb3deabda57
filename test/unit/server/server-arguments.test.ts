import { expect, test } from "vitest"
import { serverArguments } from "../../../server/server-arguments.ts"

const args = serverArguments({ port: 17_001, uiPort: 17_002, database: "/data/temporal.db", synchronous: "full" })
const valuesOf = (flag: string): readonly (string | undefined)[] =>
  args.flatMap((arg, index) => (arg === flag ? [args[index + 1]] : []))

test("the server listens on loopback only, on the ports given", () => {
  expect(valuesOf("--ip")).toEqual(["127.0.0.1"])
  expect(valuesOf("--ui-ip")).toEqual(["127.0.0.1"])
  expect(valuesOf("--port")).toEqual(["17001"])
  expect(valuesOf("--ui-port")).toEqual(["17002"])
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
