import { once } from "node:events"
import { createServer } from "node:net"
import { expect, test } from "vitest"
import { choosePort, isPortFree } from "../../../../server/process/choose-ports.ts"

test("takes the previous port again where it is free", async () => {
  const first = await choosePort(undefined)
  expect(await choosePort(first)).toBe(first)
})

test("takes another port where something listens on the previous one", async () => {
  const first = await choosePort(undefined)
  const squatter = createServer().listen(first, "127.0.0.1")
  await once(squatter, "listening")
  expect(await choosePort(first)).not.toBe(first)
  squatter.close()
})

test("takes no port that is meant for something else", async () => {
  const first = await choosePort(undefined)
  expect(await choosePort(first, new Set([first]))).not.toBe(first)
})

test("an address that the machine does not have is free for nobody", async () => {
  expect(await isPortFree(17_000, "192.0.2.1")).toBe(false)
})
