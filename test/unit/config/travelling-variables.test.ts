import { expect, it } from "vitest"
import { travellingVariables } from "../../../config/travelling-variables.ts"
import { configSchema } from "../../../contracts/config/config.ts"

const config = configSchema.parse({
  models: { main: { provider: "openai", model: "m", apiKeyEnv: "TEAM_KEY" } },
  webhooks: [{ url: "https://example.com", secretEnv: "HOOK_SECRET", events: ["run-paused"] }],
  security: { envAllow: ["PATH", "TOOL_HOME"] },
})

it("are what the configuration names, what the product reads, and the locale", () => {
  const wanted = {
    ...{ PATH: "/bin", HOME: "/h", LANG: "C", LC_ALL: "C", TZ: "UTC", TMPDIR: "/t", TEAM_KEY: "k", TOOL_HOME: "/tool" },
    ...{ ANTHROPIC_API_KEY: "a", https_proxy: "http://p", NO_PROXY: "*" },
  }
  const others = {
    TEMPORAL_ADDRESS: "x:1",
    PGUSER: "u",
    TERM: "dumb",
    AWS_SECRET_ACCESS_KEY: "s",
    HOOK_SECRET: undefined,
  }
  expect(travellingVariables({ config, models: {} }, { ...wanted, ...others })).toEqual(wanted)
})

it("have the path of a secret's file instead of its content", () => {
  const env = { HOOK_SECRET: "content", HOOK_SECRET_FILE: "/run/secrets/hook" }
  expect(travellingVariables({ config, models: {} }, env)).toEqual({ HOOK_SECRET_FILE: "/run/secrets/hook" })
})
