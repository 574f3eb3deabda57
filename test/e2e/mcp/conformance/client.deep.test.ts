import { describe, expect, it } from "vitest"
import { runClientScenario } from "./run-suite.ts"

/** The scenarios for clients, and how many checks each has. Those of `auth` have a file of their own. */
const scenarios = {
  initialize: 1,
  tools_call: 2,
  "sse-retry": 3,
  "request-metadata": 6,
  "sep-2322-client-request-state": 5,
  "http-standard-headers": 3,
  "http-custom-headers": 18,
  "http-invalid-tool-headers": 12,
  "json-schema-ref-no-deref": 1,
  "json-schema-2020-12-preservation": 9,
} as const

describe("MCP conformance of Adjutant's client", () => {
  it.each(Object.entries(scenarios))("passes every check of %s", async (scenario, checks) => {
    const result = await runClientScenario(scenario)
    expect(result?.failed).toEqual([])
    expect(result?.passed).toHaveLength(checks)
  })

  it.each(["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"])(
    "does not use the skills of a server, so that their checks are skipped: sep-2640-client-%s",
    async (scenario) => {
      const result = await runClientScenario(`sep-2640-client-${scenario}`)
      expect(result).toMatchObject({ passed: [], failed: [], skipped: [expect.stringContaining("sep-2640-host")] })
    },
  )

  it("answers the form of an older server only after a person did: the first call is cancelled, and made again", async () => {
    const result = await runClientScenario("elicitation-sep1034-client-defaults")
    expect(result?.failed).toContain("client-elicitation-sep1034-general")
  })
})
