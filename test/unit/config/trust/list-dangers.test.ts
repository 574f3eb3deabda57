import { describe, expect, it } from "vitest"
import { type ConfigInput, configSchema } from "../../../../contracts/config/config.ts"
import { configPathText } from "../../../../config/config-problem.ts"
import { listDangers } from "../../../../config/trust/list-dangers.ts"
import { trustRules } from "../../../../config/trust/trust-rules.ts"
import { isRecord } from "../../../../domain/text/is-record.ts"
import { configKeysBelow } from "../../../../scripts/reference/config-keys.ts"

const keysOf = (config: ConfigInput, unconfined: readonly string[] = []) =>
  listDangers(configSchema.parse(config), new Set(unconfined)).map(
    ({ path, kind }) => `${configPathText(path)} ${kind}`,
  )

/** Returns the rule of a key such as `http.tokens[].name`; undefined if there is none. */
const ruleOf = (path: string): unknown =>
  path
    .replaceAll("[]", ".each")
    .replaceAll(/<[^>]*>/g, "each")
    .split(".")
    .reduce<unknown>((rules, key) => {
      if (!isRecord(rules)) return rules
      // Maps whose keys are known have one rule for each of them.
      return rules[key] ?? (key === "each" ? Object.values(rules)[0] : undefined)
    }, trustRules)

describe("the keys that need trust", () => {
  it("are classified for every key of the schema", () => {
    const { keys, variants } = configKeysBelow(configSchema, "")
    const paths = [...keys, ...variants.flatMap((variant) => variant.keys)].map(({ path }) => path.slice(1))
    expect(paths.length).toBeGreaterThan(150)
    expect(paths.filter((path) => ruleOf(path) === undefined)).toEqual([])
    expect(ruleOf("http.newKey")).toBeUndefined()
  })

  it("include a key without a rule", () => {
    const config = { ...configSchema.parse({}), later: { option: 1 } }
    expect(listDangers(config, new Set())).toEqual([{ path: ["later"], kind: "unclassified", value: { option: 1 } }])
  })

  it("include shorter waits for a provider that a run asks without limit", () => {
    expect(keysOf({ timing: { providerRetryInitialMs: 15_000, providerRetryMaxMs: 600_000 } })).toEqual([])
    expect(keysOf({ timing: { providerRetryInitialMs: 1, providerRetryMaxMs: 1 } })).toEqual([
      "timing.providerRetryInitialMs loosens",
      "timing.providerRetryMaxMs loosens",
    ])
  })

  it("do not occur in the defaults, or in a file that only narrows, limits or names models of providers", () => {
    expect(keysOf({})).toEqual([])
    expect(
      keysOf({
        models: {
          main: { provider: "anthropic", model: "claude-opus-5-5" },
          light: { provider: "openai", model: "gpt-6-luna", apiKeyEnv: "OPENAI_API_KEY" },
          demo: { provider: "scripted", script: "notes.yaml" },
        },
        prices: {
          "claude-opus-5-5": { inputPerMTok: 4, outputPerMTok: 20 },
          scripted: { inputPerMTok: 0, outputPerMTok: 0 },
        },
        agents: {
          reviewer: { type: "llm", prompt: "Review.", tools: ["Read", "Bash"], maxSteps: 5, delegation: "none" },
          explore: { type: "llm", tools: ["Read"] },
        },
        tools: {
          policy: { Read: "auto", sessions_spawn: "auto", Bash: "never", "mcp__*": "prompt" },
          never: "reject",
          subagents: { deny: ["Bash"] },
        },
        security: { sandbox: "require", envAllow: ["PATH"] },
        http: { port: 0, host: "localhost" },
        timing: { pauseTimeoutSeconds: 1 },
      }),
    ).toEqual([])
  })

  it("include whatever runs a program", () => {
    expect(
      keysOf({
        agents: { count: { type: "binary", command: "./count.sh", args: ["x"], env: { A: "b" } } },
        mcpServers: { docs: { command: "npx", args: ["docs"], cwd: "sub", env: { A: "b" } } },
        hooks: { "agent:llm-before-execute": [{ command: "./audit.sh" }] },
        security: { dockerImage: "evil", sandboxBackends: ["docker"] },
      }),
    ).toEqual([
      "agents.count.command program",
      "agents.count.args program",
      "agents.count.env program",
      "mcpServers.docs.command program",
      "mcpServers.docs.args program",
      "mcpServers.docs.cwd program",
      "mcpServers.docs.env program",
      'hooks["agent:llm-before-execute"][0].command program',
      "security.sandboxBackends loosens",
      "security.dockerImage program",
    ])
  })

  it("include whatever names a secret or a server", () => {
    expect(
      keysOf({
        models: {
          own: { provider: "openai", model: "x", baseUrl: "http://127.0.0.1:9", apiKeyEnv: "OPENAI_API_KEY" },
          wrong: { provider: "openai", model: "x", apiKeyEnv: "AWS_SECRET_ACCESS_KEY" },
          local: { provider: "openai-compatible", model: "x", baseUrl: "http://127.0.0.1:9" },
          sent: {
            provider: "openai",
            model: "x",
            temperature: 1,
            headers: { a: "b" },
            headersEnv: { c: "TOKEN" },
            extraBody: { tools_of_the_provider: true },
          },
        },
        agents: {
          a: {
            type: "llm",
            credentials: { openai: { apiKeyEnv: "OTHER" }, anthropic: { apiKeyEnv: "ANTHROPIC_API_KEY" } },
          },
        },
        mcpServers: {
          web: { url: "http://127.0.0.1:9", headers: { a: "b" }, headersEnv: { c: "TOKEN" } },
          run: { command: "x", envFrom: { A: "TOKEN" } },
        },
        hooks: { "agent:llm-after-execute": [{ url: "http://127.0.0.1:9", secretEnv: "S" }] },
        security: {
          ...{ envAllow: ["PATH", "TOKEN"], allowedDomains: ["example.org"] },
          sandbox: { mode: "require", read: ["~"], write: ["~/x"], network: ["example.org"] },
        },
        http: { publicUrl: "http://x.example", tokens: [{ name: "a", tokenEnv: "USER", scopes: ["admin"] }] },
        webhooks: [{ url: "http://127.0.0.1:9", secretEnv: "S" }],
        inbound: { gh: { type: "github", secretEnv: "S", approvers: ["mallory"] } },
        channels: { team: { type: "webhook", outboundUrl: "http://127.0.0.1:9", secretEnv: "S" } },
        store: { url: "postgres://u@h/d" },
      }),
    ).toEqual([
      "models.own.baseUrl server",
      "models.own.apiKeyEnv secret",
      "models.wrong.apiKeyEnv secret",
      "models.local.baseUrl server",
      "models.sent.headers server",
      "models.sent.headersEnv secret",
      "models.sent.extraBody server",
      "agents.a.credentials.openai.apiKeyEnv secret",
      "mcpServers.web.url server",
      "mcpServers.web.headers server",
      "mcpServers.web.headersEnv secret",
      "mcpServers.run.command program",
      "mcpServers.run.envFrom secret",
      'hooks["agent:llm-after-execute"][0].url server',
      'hooks["agent:llm-after-execute"][0].secretEnv secret',
      "security.sandbox.read loosens",
      "security.sandbox.write loosens",
      "security.sandbox.network server",
      "security.allowedDomains server",
      "security.envAllow secret",
      "http.publicUrl server",
      "http.tokens[0].tokenEnv secret",
      "webhooks[0].url server",
      "webhooks[0].secretEnv secret",
      "inbound.gh.secretEnv secret",
      "inbound.gh.approvers loosens",
      "channels.team.outboundUrl server",
      "channels.team.secretEnv secret",
      "store.url server",
    ])
  })

  it("include whatever loosens policy, sandbox or a limit that a user relies on", () => {
    expect(
      keysOf({
        prices: {
          "claude-opus-5-5": { inputPerMTok: 0, outputPerMTok: 20 },
          main: { inputPerMTok: 0, outputPerMTok: 0 },
        },
        agents: { explore: { type: "llm", tools: ["Read", "Bash"] } },
        tools: { policy: { Write: "auto", "Re*": "auto", "*": "auto", Read: "prompt", "binary:x": "auto" } },
        security: {
          allowBinaryAgents: true,
          sandbox: "off",
          sandboxBackends: ["sandbox-runtime"],
          limits: { memoryMb: 100_000, processes: 100, cpuSeconds: 3_601, fileMb: 10_240 },
        },
        http: { host: "0.0.0.0", allowedHosts: ["evil.example"], workspaces: [".", "/"] },
      }),
    ).toEqual([
      "prices.claude-opus-5-5.inputPerMTok loosens",
      "prices.main.inputPerMTok loosens",
      "prices.main.outputPerMTok loosens",
      "agents.explore.tools loosens",
      "tools.policy.Write loosens",
      'tools.policy["Re*"] loosens',
      'tools.policy["*"] loosens',
      'tools.policy["binary:x"] loosens',
      "security.allowBinaryAgents loosens",
      "security.sandbox.mode loosens",
      "security.sandboxBackends loosens",
      "security.limits.memoryMb loosens",
      "security.limits.cpuSeconds loosens",
      "http.host loosens",
      "http.allowedHosts loosens",
      "http.workspaces loosens",
    ])
  })

  it("include a script whose commands nothing confines", () => {
    const config = { models: { main: { provider: "scripted", script: "a.yaml" } } } as const
    expect(keysOf(config, ["a.yaml"])).toEqual(["models.main.script commands"])
  })
})
