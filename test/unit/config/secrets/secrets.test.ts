import { describe, expect, it } from "vitest"
import { configSchema } from "../../../../contracts/config/config.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { collectSecrets } from "../../../../config/secrets/secrets.ts"

describe("collectSecrets", () => {
  it("finds the value of every variable that the configuration names as a secret", () => {
    const config = configSchema.parse({
      models: { a: { provider: "openai", model: "m", apiKeyEnv: "K_MODEL", headersEnv: { "X-Token": "K_GATEWAY" } } },
      agents: { r: { credentials: { anthropic: { apiKeyEnv: "K_PROFILE" } } } },
      mcpServers: {
        w: { url: "https://example.org", headersEnv: { Authorization: "K_HEADER" } },
        p: { command: "x", envFrom: { TOKEN: "K_SERVER" } },
      },
      hooks: { "agent:llm-before-execute": [{ url: "https://example.org", secretEnv: "K_HOOK" }] },
      http: { tokens: [{ name: "ci", tokenEnv: "K_TOKEN", scopes: ["read"] }] },
      webhooks: [{ url: "https://example.org", secretEnv: "K_WEBHOOK" }],
      inbound: { g: { type: "github", secretEnv: "K_INBOUND" } },
      channels: { t: { type: "webhook", outboundUrl: "https://example.org", secretEnv: "K_CHANNEL" } },
      store: { url: "postgres://me:pass%2Fword@db/x" },
    })
    const names = ["MODEL", "PROFILE", "HEADER", "SERVER", "HOOK", "TOKEN", "WEBHOOK", "INBOUND", "CHANNEL", "GATEWAY"]
    const env = Object.fromEntries([
      ...names.map((name) => [`K_${name}`, `value-${name}`]),
      ["PATH", "/bin"],
      ["OPENAI_API_KEY", "sk"],
      ["OPENAI_CUSTOM_HEADERS", "X-A: corp-token\nX-B: other: token"],
    ])
    const { models } = modelSpecs({ config, env, projectRoot: "/" })
    const headers = ["corp-token", "other: token", "X-A: corp-token\nX-B: other: token"]
    expect(collectSecrets(config, models, env).toSorted()).toEqual(
      [...names.map((name) => `value-${name}`), "sk", "pass/word", ...headers].toSorted(),
    )
  })
})
