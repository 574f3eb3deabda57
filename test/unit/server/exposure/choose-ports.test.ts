import { once } from "node:events"
import { createServer } from "node:net"
import { expect, test } from "vitest"
import { choosePort, isPortFree } from "../../../../server/exposure/choose-ports.ts"

test("uses the previous port again if it is free", async () => {
  const first = await choosePort(undefined)
  expect(await choosePort(first)).toBe(first)
})

test("uses another port if the previous one is in use", async () => {
  const first = await choosePort(undefined)
  const squatter = createServer().listen(first, "127.0.0.1")
  await once(squatter, "listening")
  expect(await choosePort(first)).not.toBe(first)
  squatter.close()
})

test("uses no port that is reserved for something else", async () => {
  const first = await choosePort(undefined)
  expect(await choosePort(first, new Set([first]))).not.toBe(first)
})

test("finds no free port at an address that the machine does not have", async () => {
  expect(await isPortFree(17_000, "192.0.2.1")).toBe(false)
})
