import { expect, it } from "vitest"
import { isSignedControl, signControl } from "../../../../sessions/messages/sign-control.ts"

const store = { secret: async () => Buffer.alloc(32, 7) } as unknown as Parameters<typeof signControl>[0]
const sessionId = "session1"

it("accepts an update under the id that was signed, and a signal that carries it", async () => {
  const signature = await signControl(store, { name: "setModel", sessionId, id: "update1", model: "light" })
  const update = { value: { model: "light", signature }, updateId: "update1" }
  expect(await isSignedControl(store, { name: "setModel", sessionId }, update)).toBe(true)
  const again = await signControl(store, { name: "retry", sessionId, id: "retry1" })
  const signal = { value: { id: "retry1", signature: again }, updateId: undefined }
  expect(await isSignedControl(store, { name: "retry", sessionId }, signal)).toBe(true)
})

it("refuses an update that repeats the signature of an earlier one and names its id", async () => {
  const signature = await signControl(store, { name: "setModel", sessionId, id: "update1", model: "light" })
  const copied = { value: { id: "update1", model: "light", signature }, updateId: "update2" }
  expect(await isSignedControl(store, { name: "setModel", sessionId }, copied)).toBe(false)
})
