import { expect, it } from "vitest"
import type { McpEndpoint } from "../../../../http/http-options.ts"
import { httpFixture } from "../http-fixture.ts"

// A run whose configuration has Adjutant's own /mcp with the token of an administrator could approve the calls of its
// sub-agents and change profiles: only servers on stdio knew that their client is an agent.

const token = "master-secret"

const mayApprove = async (headers: Readonly<Record<string, string>>): Promise<boolean> => {
  const callers: Parameters<McpEndpoint["serve"]>[1]["caller"][] = []
  const mcp: McpEndpoint = {
    serve: async (_, { caller }) => {
      callers.push(caller)
      return Response.json({})
    },
  }
  const { ask } = await httpFixture({ mcp, env: { ADJUTANT_API_TOKEN: token } })
  const payload = { jsonrpc: "2.0", id: 1, method: "tools/list" }
  const authorization = `Bearer ${token}`
  expect(await ask({ method: "POST", url: "/mcp", payload, headers: { ...headers, authorization } })).toMatchObject({
    status: 200,
  })
  expect(callers).toMatchObject([{ mayRun: true }])
  return callers[0]?.mayApprove === true
}

it("accepts no approvals over /mcp from a run, which its worker marks", async () => {
  expect(await mayApprove({})).toBe(true)
  expect(await mayApprove({ "Adjutant-In-Run": "1" })).toBe(false)
})
