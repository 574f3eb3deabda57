import { describe, expect, it } from "vitest"
import { runClientScenario } from "./run-suite.ts"

/** The scenarios of OAuth in which a person logs in, or the client has credentials, and how many checks each has. */
const scenarios = {
  "metadata-default": 23,
  "metadata-var1": 23,
  "metadata-var2": 23,
  "metadata-var3": 23,
  "basic-cimd": 18,
  "scope-from-www-authenticate": 19,
  "scope-from-scopes-supported": 19,
  "scope-omitted-when-undefined": 19,
  "scope-step-up": 28,
  "scope-retry-limit": 19,
  "token-endpoint-auth-basic": 24,
  "token-endpoint-auth-post": 24,
  "token-endpoint-auth-none": 24,
  "pre-registration": 18,
  "2025-03-26-oauth-metadata-backcompat": 17,
  "2025-03-26-oauth-endpoint-fallback": 12,
  "resource-mismatch": 3,
  "offline-access-scope": 14,
  "offline-access-not-supported": 16,
  "authorization-server-migration": 31,
  "iss-supported": 16,
  "iss-not-advertised": 16,
  "iss-supported-missing": 8,
  "iss-wrong-issuer": 8,
  "iss-unexpected": 8,
  "iss-normalized": 8,
  "metadata-issuer-mismatch": 3,
  "client-credentials-jwt": 10,
  "client-credentials-basic": 10,
} as const

describe("MCP conformance of Adjutant's client with servers that require OAuth", () => {
  it.each(Object.entries(scenarios))("passes every check of auth/%s", async (scenario, checks) => {
    const result = await runClientScenario(`auth/${scenario}`)
    expect(result?.failed).toEqual([])
    expect(result?.passed).toHaveLength(checks)
  })

  it.each([
    ["dpop", "sep-1932-client-dpop-auth-scheme"],
    ["dpop-nonce", "sep-1932-client-dpop-auth-scheme"],
    ["enterprise-managed-authorization", "complete-flow-token-exchange"],
    ["wif-jwt-bearer", "wif-assertion-verified"],
  ])("does not ask for access in the way of auth/%s", async (scenario, failed) => {
    expect((await runClientScenario(`auth/${scenario}`))?.failed).toContain(failed)
  })
})
