import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, test } from "vitest"
import { hasFields } from "../../../../server/process/has-fields.ts"
import {
  identifyProcess,
  identifyThisProcess,
  identityChecks,
  isAlive,
  signalProcess,
} from "../../../../server/process/process-identity.ts"

const startSleeper = async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" })
  await once(child, "spawn")
  const identity = identifyProcess(child.pid ?? 0)
  if (identity === undefined) throw new Error("the child has no identity")
  return { child, identity }
}

test("this process is alive, with the same identity each time", () => {
  expect(isAlive(identifyThisProcess())).toBe(true)
  expect(identifyThisProcess()).toEqual(identifyThisProcess())
})

test("a process that ended is not alive", async () => {
  const { child, identity } = await startSleeper()
  expect(isAlive(identity)).toBe(true)
  expect(signalProcess(identity, "SIGKILL")).toBe(true)
  await once(child, "exit")
  expect(isAlive(identity)).toBe(false)
  expect(signalProcess(identity, "SIGTERM")).toBe(false)
})

test("a process that reuses an id is neither mistaken for the old one nor signalled", async () => {
  const { child, identity } = await startSleeper()
  const former = { ...identity, start: "earlier" }
  expect(isAlive(former)).toBe(false)
  expect(signalProcess(former, "SIGKILL")).toBe(false)
  expect(isAlive(identity)).toBe(true)
  child.kill("SIGKILL")
  await once(child, "exit")
})

test.each([null, {}, { pid: "1", start: "x" }, { pid: -1, start: "x" }, { pid: 0, start: "x" }, { pid: 1 }])(
  "%j is not an identity",
  (value) => expect(hasFields(identityChecks)(value)).toBe(false),
)
