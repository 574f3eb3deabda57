import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { expect, it } from "vitest"
import { createLenientReader } from "../../../../mcp-client/transport/lenient-results.ts"
import { screenTransport } from "../../../../mcp-client/transport/screen-transport.ts"

const progress = (progressToken: number, step: number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress: step },
})

it("passes on the progress of each call in bounded numbers, and everything else", () => {
  const transport: Transport = screenTransport(
    { start: async () => {}, send: async () => {}, close: async () => {} },
    createLenientReader(() => undefined),
  )
  const received: JSONRPCMessage[] = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is not an event target
  transport.onmessage = (message) => void received.push(message)
  const log: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/message", params: {} }
  for (let step = 1; step <= 50_000; step += 1) {
    transport.onmessage(progress(1, step))
    if (step % 1_000 === 0) transport.onmessage(log)
  }
  transport.onmessage(progress(2, 1))
  expect(received[0]).toEqual(progress(1, 1))
  expect(received.filter((message) => message === log)).toHaveLength(50)
  expect(received).toContainEqual(progress(2, 1))
  expect(received.length).toBeLessThan(5_000)
})
