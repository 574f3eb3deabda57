import { once } from "node:events"
import { createServer } from "node:net"
import { expect, test } from "vitest"
import { choosePorts } from "../../../server/choose-ports.ts"

test("the previous ports are taken again where they are free", async () => {
  const first = await choosePorts(undefined)
  expect(first.port).not.toBe(first.uiPort)
  expect(await choosePorts(first)).toEqual(first)
})

test("where one of the previous ports is taken, both are new", async () => {
  const first = await choosePorts(undefined)
  const squatter = createServer().listen(first.uiPort, "127.0.0.1")
  await once(squatter, "listening")
  const second = await choosePorts(first)
  expect(second.uiPort).not.toBe(first.uiPort)
  squatter.close()
})
