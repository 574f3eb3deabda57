import { expect, it } from "vitest"
import { z } from "zod"
import { reportConnection } from "../../../../mcp/transport/report-connection.ts"

const reported = (error: unknown): readonly unknown[] => {
  const lines: unknown[] = []
  const logger = {
    warn: (detail: unknown) => void lines.push("warn", detail),
    error: (detail: unknown) => void lines.push("error", detail),
  }
  reportConnection(logger, "a problem")(error)
  return lines
}

it.each([
  [
    new Error("Rejected inbound request (empty-batch): Bad Request"),
    "Rejected inbound request (empty-batch): Bad Request",
  ],
  [z.object({ jsonrpc: z.literal("2.0") }).safeParse({}).error, "not a JSON-RPC message"],
  ["closed", "closed"],
])("warns in one line of what a client sent, without a stack: %s", (error, reason) => {
  expect(reported(error)).toEqual(["warn", { reason }])
})

it("bounds what a client can write into the log", () => {
  expect(JSON.stringify(reported(new Error("x".repeat(100_000)))).length).toBeLessThan(500)
})

it("logs an error of the program with its stack", () => {
  const error = new TypeError("x is not a function")
  expect(reported(error)).toEqual(["error", { err: error }])
})
