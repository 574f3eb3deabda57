import { expect, test } from "vitest"
import { blockedPorts, freeBlockedPort } from "../../../../server/exposure/blocked-ports.ts"

test.each(blockedPorts)("port %i is one that browsers refuse", async (port) => {
  // Node's fetch has the Fetch standard's list of its own.
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ cause: { message: "bad port" } })
})

test("the free one among them is found", async () => {
  const last = blockedPorts[7]
  expect(await freeBlockedPort("127.0.0.1", async (port) => port === last)).toBe(last)
})

test("there is none where all are taken", async () => {
  expect(await freeBlockedPort("127.0.0.1", async () => false)).toBeUndefined()
})
