import { expect, test } from "vitest"
import { blockedPorts, freeBlockedPort } from "../../../../server/exposure/blocked-ports.ts"

test.each(blockedPorts)("browsers refuse port %i", async (port) => {
  // Node's fetch contains the list of the Fetch standard.
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ cause: { message: "bad port" } })
})

test("finds the free port among those that browsers refuse", async () => {
  const last = blockedPorts[7]
  expect(await freeBlockedPort("127.0.0.1", async (port) => port === last)).toBe(last)
})

test("finds none if all are in use", async () => {
  expect(await freeBlockedPort("127.0.0.1", async () => false)).toBeUndefined()
})
