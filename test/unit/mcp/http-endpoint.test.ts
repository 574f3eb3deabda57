import { expect, it, onTestFinished } from "vitest"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { createMcpHttpEndpoint } from "../../../mcp/http-endpoint.ts"
import { clientFixture, loaded } from "../client/client-fixture.ts"

// Each malformed message of a client was an error in the log of the server, with a stack.

it.each([[null], [7], [[]], [{ jsonrpc: "1.0", id: 1, method: "ping" }], [[{ jsonrpc: "2.0" }]]])(
  "refuses the message %j, and warns of it in one line",
  async (body) => {
    const lines: unknown[] = []
    const { client, store } = await clientFixture()
    const logger = {
      warn: (detail: unknown) => void lines.push(detail),
      error: (detail: unknown) => void lines.push("error", detail),
    }
    const endpoint = createMcpHttpEndpoint({
      ...{ engine: openedEngine({ client, store }), loaded, toolsets: ["tasks"], logger },
    })
    onTestFinished(() => endpoint.close())
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" }
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) })
    const caller = { name: "ci", mayRun: true, mayApprove: false, mayUseAnyDirectory: false, reachesAllSessions: false }
    const { status } = await endpoint.serve(request, { body, caller })
    expect(status).toBe(400)
    expect(lines).toEqual([{ reason: expect.stringContaining("Rejected inbound request") }])
  },
)
