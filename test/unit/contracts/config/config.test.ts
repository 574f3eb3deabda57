import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { schemaKeys } from "../../../../config/schema-keys.ts"
import { timingSchema } from "../../../../contracts/config/timing.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import { builtInCallers } from "../../../../domain/caller/caller-id.ts"

const sample = `
models:
  main:  { provider: anthropic, model: claude-opus-5-5 }
  light: { provider: openai, model: gpt-6-luna, apiKeyEnv: OPENAI_API_KEY }
  local: { provider: openai-compatible, model: qwen3, baseUrl: http://127.0.0.1:11434/v1 }
  demo:  { provider: scripted, script: examples/demo.yaml }
prices: { claude-opus-5-5: { inputPerMTok: 4, outputPerMTok: 20 } }
agents:
  reviewer: { type: llm, prompt: "…", model: light, tools: [Read, Grep], maxSteps: 20, delegation: none }
  wordcount: { type: binary, command: ./wc.sh, args: [], env: {}, timeoutMs: 5000 }
  search: { type: mcp-bridge, mcpTool: mcp__docs__search, mcpToolInput: '{"query": "{{task}}"}' }
subagents: { maxSpawnDepth: 1, maxChildrenPerAgent: 5, maxConcurrent: 8, runTimeoutSeconds: 0, archiveAfterMinutes: 60,
             allowAgents: [], requireAgentId: false, downgrade: true }
modelTiers: [[claude-opus-5-5, gpt-6.1-sol], [claude-sonnet-5-5], [claude-haiku-5-5, gpt-6-luna]]
tools:
  policy: { Read: auto, Bash: prompt, "mcp__*": prompt }
  never: pause
  subagents: { deny: [], allow: [] }
mcpServers: { docs: { command: npx, args: [-y, docs-mcp] }, web: { url: https://example.org/mcp, headersEnv: { Authorization: WEB_TOKEN } } }
hooks: { "agent:binary-before-execute": [ { command: ./audit.sh } ] }
security:
  allowBinaryAgents: false
  sandbox: auto
  sandboxBackends: [bubblewrap, sandbox-runtime, docker]
  allowedDomains: [registry.npmjs.org, "*.example.org:443", "[::1]", 10.0.0.1, localhost]
  dockerImage: registry.example.org:5000/team/tools:v1@sha256:0a
  envAllow: [PATH, HOME, LANG, TZ, TMPDIR]
http: { host: 127.0.0.1, port: 7420, tokens: [ { name: ci, tokenEnv: CI_TOKEN, scopes: [read, run, approve, admin] } ] }
webhooks: [ { url: https://example.org/hook, secretEnv: HOOK_SECRET, events: [run-paused, run-finished] } ]
inbound: { gh: { type: github, secretEnv: GH_SECRET, approvers: [octocat] }, chat: { type: slack, secretEnv: S, approvers: [U123] },
           ci: { type: standard, secretEnv: CI_HOOK } }
channels: { team: { type: webhook, outboundUrl: https://example.org/out, secretEnv: T,
                    threadBindings: { enabled: true, idleHours: 24, maxAgeHours: 0, spawnSubagentSessions: true } } }
store: { url: "sqlite:" }
`

const accepts = (input: unknown): boolean => configSchema.safeParse(input).success

describe("configuration schema", () => {
  it("accepts the whole documented sample", () => {
    const config = configSchema.parse(parse(sample))
    expect(config.agents["reviewer"]).toMatchObject({ type: "llm", tools: ["Read", "Grep"], isolated: false })
    expect(config.mcpServers["web"]).toMatchObject({ headersEnv: { Authorization: "WEB_TOKEN" } })
    expect(config.models["demo"]).toMatchObject({ model: "scripted", script: "examples/demo.yaml" })
  })

  it("lets an operator set nineteen waits, and completes them with those that are constants", () => {
    const named =
      "modelAttempts modelTimeoutMs modelRetryInitialMs modelRetryMaxMs modelRetryAfterMaxMs providerRetryInitialMs " +
      "providerRetryMaxMs providerPauseSeconds toolTimeoutMs bashTimeoutMs bashMaxTimeoutMs shutdownGraceMs " +
      "pauseTimeoutSeconds deliveryAttempts deliveryTimeoutMs laneRetryMs laneCheckMs continueAsNewAfterEvents liveness"
    expect(schemaKeys(configSchema, ["timing"])).toHaveLength(19)
    expect([...schemaKeys(configSchema, ["timing"])].toSorted()).toEqual(named.split(" ").toSorted())
    expect(configSchema.parse({ timing: { modelAttempts: 3 } }).timing).toEqual(
      timingSchema.parse({ modelAttempts: 3 }),
    )
    expect(accepts({ timing: { quickToolMs: 5 } })).toBe(false)
  })

  it("has a default for every key", () => {
    const config = configSchema.parse({})
    expect(config.subagents).toEqual({
      maxSpawnDepth: 1,
      maxChildrenPerAgent: 5,
      maxConcurrent: 8,
      runTimeoutSeconds: 0,
      archiveAfterMinutes: 60,
      allowAgents: [],
      requireAgentId: false,
      downgrade: true,
      reports: "each",
      archiveRoots: false,
    })
    expect(config.security).toEqual({
      allowBinaryAgents: false,
      sandbox: { mode: "auto", read: [], write: [], network: [], toolchains: "auto" },
      sandboxBackends: ["bubblewrap", "sandbox-runtime"],
      allowedDomains: [],
      limits: { memoryMb: 4_096, processes: 2_048, cpuSeconds: 3_600, fileMb: 10_240 },
      envAllow: ["PATH", "HOME", "LANG", "TZ", "TMPDIR"],
    })
    expect(config.http).toEqual({ host: "127.0.0.1", port: 7420, tokens: [], allowedHosts: [], linksNeedToken: false })
    expect(config.tools).toEqual({ policy: {}, never: "pause", maxOffered: 60, subagents: { deny: [], allow: [] } })
    expect(config.store.url).toBe("sqlite:")
    expect(config.timing.modelAttempts).toBeGreaterThan(1)
  })

  it("reads a sandbox that is only a mode, and one with paths and hosts", () => {
    const sandboxOf = (sandbox: unknown) => configSchema.parse({ security: { sandbox } }).security.sandbox
    expect(sandboxOf("require")).toEqual(sandboxOf({ mode: "require" }))
    expect(sandboxOf({ read: ["~/data", "/srv"], network: ["example.org"] })).toMatchObject({
      ...{ mode: "auto", read: ["~/data", "/srv"], network: ["example.org"], toolchains: "auto" },
    })
    for (const wrong of ["none", { reads: [] }, { read: ["data"] }, { write: ["~other/x"] }, { network: ["*"] }])
      expect(() => sandboxOf(wrong), JSON.stringify(wrong)).toThrow()
  })

  it("reads a profile without a type as an llm profile", () => {
    expect(configSchema.parse({ agents: { reviewer: { prompt: "x" } } }).agents["reviewer"]?.type).toBe("llm")
  })

  it.each([
    ["an unknown key", { modles: {} }],
    ["an unknown nested key", { tools: { polcy: {} } }],
    ["no backend", { security: { sandboxBackends: [] } }],
    ["an unknown backend", { security: { sandboxBackends: ["chroot"] } }],
    ["a backend named twice", { security: { sandboxBackends: ["docker", "docker"] } }],
    ["every host", { security: { allowedDomains: ["*"] } }],
    ["every host of a top-level domain", { security: { allowedDomains: ["*.com"] } }],
    ["an address with a scheme as a host", { security: { allowedDomains: ["https://example.org"] } }],
    ["a bare IPv6 address", { security: { allowedDomains: ["::1"] } }],
    ["an image that would be an option", { security: { dockerImage: "--privileged" } }],
    ["a depth of 0", { subagents: { maxSpawnDepth: 0 } }],
    ["a depth of 6", { subagents: { maxSpawnDepth: 6 } }],
    ["0 children", { subagents: { maxChildrenPerAgent: 0 } }],
    ["21 children", { subagents: { maxChildrenPerAgent: 21 } }],
    ["0 steps", { agents: { a: { maxSteps: 0 } } }],
    ["257 steps", { agents: { a: { maxSteps: 257 } } }],
    ["a binary profile without a command", { agents: { a: { type: "binary" } } }],
    ["a bridge to what is not an MCP tool", { agents: { a: { type: "mcp-bridge", mcpTool: "Read" } } }],
    ["a profile name with a colon", { agents: { "a:b": {} } }],
    ["a server name with a double underscore", { mcpServers: { a__b: { command: "x" } } }],
    ["a server whose tools look like another server's", { mcpServers: { a_: { command: "x" } } }],
    ["a server with both a program and a URL", { mcpServers: { a: { command: "x", url: "https://example.org" } } }],
    ["a * in the middle of a pattern", { tools: { policy: { "mcp__*__x": "auto" } } }],
    ["a mode that does not exist", { tools: { policy: { Read: "ask" } } }],
    ["a negative price", { prices: { m: { inputPerMTok: -1, outputPerMTok: 1 } } }],
    ["a URL with a password", { webhooks: [{ url: "https://u:p@example.org", secretEnv: "S" }] }],
    ["a URL that is not http", { models: { a: { provider: "openai", model: "m", baseUrl: "file:///etc" } } }],
    ["a compatible model without a base URL", { models: { a: { provider: "openai-compatible", model: "m" } } }],
    ["a key in place of a variable's name", { models: { a: { provider: "openai", model: "m", apiKeyEnv: "sk-1-2" } } }],
    ["a model in two tiers", { modelTiers: [["a"], ["a"]] }],
    ["a hook point that does not exist", { hooks: { "agent:llm-execute": [] } }],
    ["a port above 65535", { http: { port: 65_536 } }],
    ["a token without scopes", { http: { tokens: [{ name: "a", tokenEnv: "T", scopes: [] }] } }],
    ["a store that is neither a file nor a server", { store: { url: "mysql://x" } }],
    ["a list instead of an object", []],
  ])("rejects %s", (_, input) => {
    expect(accepts(input)).toBe(false)
  })

  // Such a token shared the sessions of the built-in caller.
  it.each([...Object.values(builtInCallers), "LOCAL", "Api-Token"])("rejects a token with the name %s", (name) => {
    const parsed = configSchema.safeParse({ http: { tokens: [{ name, tokenEnv: "T", scopes: ["run"] }] } })
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining("built-in callers")])
  })

  it.each([
    ["depth", { subagents: { maxSpawnDepth: 5 } }],
    ["children", { subagents: { maxChildrenPerAgent: 20 } }],
    ["steps", { agents: { a: { maxSteps: 256 } } }],
    ["no lane", { subagents: { maxConcurrent: 0 } }],
  ])("accepts both ends of the range of %s", (_, input) => {
    expect(accepts(input)).toBe(true)
  })
})
