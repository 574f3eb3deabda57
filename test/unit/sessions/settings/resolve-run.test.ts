import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { StartRequest } from "../../../../sessions/start-request.ts"
import { resolveRun } from "../../../../sessions/settings/resolve-run.ts"
import type { LoadedConfig } from "../../../../config/loaded-config.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { configSchema, type ConfigInput } from "../../../../contracts/config/config.ts"
import { runSnapshotSchema } from "../../../../contracts/run-snapshot.ts"
import { rolePromptOf } from "../../../../domain/prompts/role-prompts.ts"

let cwd: string
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-run-")))
  await writeFile(join(cwd, "demo.yaml"), "")
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const keys = { ANTHROPIC_API_KEY: "sk-secret-value" }

interface Given {
  readonly config?: ConfigInput
  readonly env?: Readonly<Record<string, string>>
  readonly customTools?: readonly string[]
}

const resolve = (request: Partial<StartRequest> = {}, { config = {}, env = keys, customTools }: Given = {}) => {
  const parsed = configSchema.parse(config)
  const loaded: LoadedConfig = {
    config: parsed,
    configPath: null,
    projectRoot: cwd,
    dataDir: join(cwd, ".adjutant"),
    ...modelSpecs({ config: parsed, env, projectRoot: cwd }),
    customTools,
  }
  return resolveRun(loaded, { prompt: "do it", cwd, ...request }, env)
}

const builtins = [
  "LS",
  "Glob",
  "Grep",
  "Read",
  "Write",
  "Edit",
  "MultiEdit",
  "apply_patch",
  "Bash",
  "WebFetch",
  "TodoWrite",
]
const reading = ["LS", "TodoWrite", "Glob", "Grep", "Read"]
const scripted = { demo: { provider: "scripted", script: "demo.yaml" } } as const
const docs = { docs: { command: "docs-mcp" } }

describe("a run without requested settings", () => {
  it("uses profile general with all tools, default limits and the main model", async () => {
    const run = await resolve()
    expect(run).toMatchObject({
      agent: "general",
      type: "llm",
      model: "main",
      tools: builtins,
      delegationTools: null,
      delegation: "sessions",
      approval: "policy",
      pauseOnText: false,
      sandbox: "auto",
      sandboxed: false,
      cwd,
      limits: { maxSteps: 100, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: null },
    })
    expect(run.systemPrompt).toBe(rolePromptOf("general", undefined, "person"))
    expect(run.showsSurroundings).toBe(true)
  })

  it("has a snapshot that its schema accepts unchanged and that contains no secret", async () => {
    const run = await resolve({}, { config: { models: scripted, mcpServers: docs } })
    expect(runSnapshotSchema.parse(JSON.parse(JSON.stringify(run)))).toEqual(JSON.parse(JSON.stringify(run)))
    expect(JSON.stringify(run)).not.toContain(keys.ANTHROPIC_API_KEY)
  })

  it("has every configured model and those with a key, with prices", async () => {
    const { models } = await resolve({}, { config: { models: scripted } })
    expect(Object.keys(models)).toEqual(expect.arrayContaining(["main", "light", "demo", "claude-sonnet-5-5"]))
    expect(Object.keys(models)).not.toContain("gpt-6-luna")
    expect(models["main"]?.price).toMatchObject({ inputPerMTok: 4, outputPerMTok: 20 })
    expect(models["demo"]?.price).toEqual({ inputPerMTok: 0, outputPerMTok: 0 })
  })
})

describe("agents", () => {
  it.each(["explore", "plan", "summary"])("%s is read-only and delegates nothing", async (agent) => {
    expect(await resolve({ agent })).toMatchObject({ tools: reading, delegation: "none" })
  })

  it("apply a configured profile on top of the built-in one with its name", async () => {
    const run = await resolve({ agent: "explore" }, { config: { agents: { explore: { maxSteps: 7 } } } })
    expect(run).toMatchObject({ tools: reading, limits: { maxSteps: 7 } })
    expect(run.systemPrompt.startsWith(rolePromptOf("explore", undefined, "person"))).toBe(true)
  })

  it("take tools, prompt, limits, delegation and sub-agent settings from a profile", async () => {
    const config: ConfigInput = {
      agents: {
        reviewer: {
          prompt: "REVIEW",
          tools: ["Read", "Grep"],
          maxSteps: 20,
          timeoutSeconds: 60,
          budgetUsd: 0.5,
          delegation: "tasks",
          subagents: { allowAgents: ["*"], maxSpawnDepth: 3 },
        },
      },
      subagents: { maxChildrenPerAgent: 2 },
    }
    const run = await resolve({ agent: "reviewer" }, { config })
    expect(run).toMatchObject({
      tools: ["Read", "Grep"],
      delegation: "tasks",
      limits: { maxSteps: 20, timeoutSeconds: 60, budgetMicroUsd: 500_000 },
      subagents: { allowAgents: ["*"], maxSpawnDepth: 3, maxChildrenPerAgent: 2 },
    })
    expect(run.systemPrompt.startsWith("REVIEW")).toBe(true)
  })

  it("reject an unknown profile and list the known ones", async () => {
    await expect(resolve({ agent: "explor" })).rejects.toMatchObject({
      code: "agent_not_found",
      message: expect.stringMatching(/did you mean explore.*general, explore, plan, summary/),
    })
    await expect(resolve({ agent: "constructor" })).rejects.toMatchObject({ code: "agent_not_found" })
  })

  it("run a program only if that is allowed, from the project, and without a model or a key", async () => {
    const agents = { wc: { type: "binary" as const, command: "./wc.sh", timeoutMs: 5_000 } }
    await expect(resolve({ agent: "wc" }, { config: { agents }, env: {} })).rejects.toMatchObject({ code: "forbidden" })
    const run = await resolve({ agent: "wc" }, { config: { agents, security: { allowBinaryAgents: true } }, env: {} })
    expect(run).toMatchObject({
      type: "binary",
      model: "none",
      tools: [],
      execution: { type: "binary", command: join(cwd, "wc.sh"), args: [], timeoutMs: 5_000, idempotent: false },
    })
  })
})

describe("programs of hooks and MCP servers", () => {
  it("are found relative to the configuration's folder, and run there", async () => {
    const config: ConfigInput = {
      mcpServers: {
        docs: { command: "./server.sh" },
        other: { command: "npx", cwd: "sub" },
        web: { url: "http://h/" },
      },
      hooks: { "agent:llm-before-execute": [{ command: "./check.sh" }, { url: "http://h/" }] },
    }
    const run = await resolve({}, { config })
    expect(run.mcpServers).toMatchObject({
      docs: { command: join(cwd, "server.sh"), cwd },
      other: { command: "npx", cwd: join(cwd, "sub") },
      web: { url: "http://h/" },
    })
    expect(run.hooks["agent:llm-before-execute"]).toMatchObject([
      { command: join(cwd, "check.sh"), cwd },
      { url: "http://h/" },
    ])
  })
})

describe("models", () => {
  it.each([
    ["a configured name", "demo", "demo"],
    ["a known provider's id", "claude-sonnet-5-5", "claude-sonnet-5-5"],
    ["the id of a configured model", "claude-opus-5-5", "main"],
  ])("are selected by %s", async (_, model, expected) => {
    expect((await resolve({ model }, { config: { models: scripted } })).model).toBe(expected)
  })

  it("are selected by the request before the profile", async () => {
    const config: ConfigInput = { agents: { a: { model: "light" } } }
    expect((await resolve({ agent: "a" }, { config })).model).toBe("light")
    expect((await resolve({ agent: "a", model: "main" }, { config })).model).toBe("main")
  })

  it("are rejected if unknown, with the known ones", async () => {
    await expect(resolve({ model: "claude-opus-9" })).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringMatching(/claude-opus-9.*main/),
    })
    await expect(resolve({ agent: "a" }, { config: { agents: { a: { model: "nope" } } } })).rejects.toThrow(
      /agents\.a\.model/,
    )
    await expect(resolve({ model: "toString" })).rejects.toMatchObject({ code: "model_not_found" })
  })

  it("are rejected if none is set, with what to set", async () => {
    await expect(resolve({}, { env: {} })).rejects.toMatchObject({
      code: "key_missing",
      message: expect.stringMatching(/ANTHROPIC_API_KEY.*OPENAI_API_KEY.*LLM_MODEL_ID/),
    })
  })

  it.each([
    [
      "of a configured one",
      { main: { provider: "openai" as const, model: "m", apiKeyEnv: "MY_KEY" } },
      undefined,
      "MY_KEY",
    ],
    ["of a known one", {}, "gpt-6-luna", "OPENAI_API_KEY"],
  ])("are rejected if the key %s is not set, naming its variable", async (_, models, model, variable) => {
    await expect(resolve({ model }, { config: { models } })).rejects.toMatchObject({
      code: "key_missing",
      message: expect.stringContaining(variable),
    })
  })

  it("need a script instead of a key if they are scripted", async () => {
    expect((await resolve({ model: "demo" }, { config: { models: scripted }, env: {} })).model).toBe("demo")
    const models = { demo: { provider: "scripted" as const, script: "missing.yaml" } }
    await expect(resolve({ model: "demo" }, { config: { models }, env: {} })).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("models.demo.script"),
    })
    const folder = { demo: { provider: "scripted" as const, script: "." } }
    await expect(resolve({ model: "demo" }, { config: { models: folder } })).rejects.toThrow(/script/)
  })

  it("use the profile's own key, main's if it is not set, and no other if isolated", async () => {
    const credentials = { anthropic: { apiKeyEnv: "OWN_KEY" } }
    const open: ConfigInput = { agents: { a: { credentials } } }
    const isolated: ConfigInput = {
      agents: { a: { credentials, isolated: true } },
      models: { gpt: { provider: "openai", model: "m" } },
    }
    const withOwn = { ...keys, OWN_KEY: "own", OPENAI_API_KEY: "o" }
    const keyOf = async (given: Given) => {
      const run = await resolve({ agent: "a" }, given)
      return run.models[run.model]?.apiKeyEnv
    }
    expect(await keyOf({ config: open, env: withOwn })).toBe("OWN_KEY")
    expect(await keyOf({ config: open, env: keys })).toBe("ANTHROPIC_API_KEY")
    expect(await keyOf({ config: isolated, env: withOwn })).toBe("OWN_KEY")
    await expect(keyOf({ config: isolated, env: keys })).rejects.toThrow(/OWN_KEY/)
    await expect(resolve({ agent: "a", model: "gpt" }, { config: isolated, env: withOwn })).rejects.toThrow(
      /credentials\.openai/,
    )
    const run = await resolve({ agent: "a" }, { config: isolated, env: withOwn })
    expect(Object.values(run.models).map((spec) => spec.apiKeyEnv)).not.toContain("OPENAI_API_KEY")
  })

  it("take the thinking level from the request, then from the profile", async () => {
    const config: ConfigInput = { agents: { a: { thinking: "low" } } }
    expect((await resolve({ agent: "a" }, { config })).models["main"]?.thinking).toBe("low")
    expect((await resolve({ agent: "a", thinking: "high" }, { config })).models["main"]?.thinking).toBe("high")
  })
})

describe("tools", () => {
  it("are those of the request, once each, with delegation tools apart", async () => {
    const run = await resolve(
      { allowed_tools: ["Read", "Task", "Read", "mcp__docs__search"] },
      { config: { mcpServers: docs } },
    )
    expect(run.tools).toEqual(["Read", "mcp__docs__search"])
    expect(run.delegationTools).toEqual(["Task"])
  })

  it("include those of the configured servers and of the embedding program if nothing narrows them", async () => {
    const run = await resolve({}, { config: { mcpServers: docs }, customTools: ["Weather"] })
    expect(run.tools).toEqual([...builtins, "Weather", "mcp__docs__*"])
  })

  it.each([
    ["a mistyped name", "Raed", /Raed.*did you mean Read/],
    ["another case", "bash", /did you mean Bash/],
    ["a server that is not configured", "mcp__dosc__x", /no MCP server dosc.*docs/],
    ["a bare wildcard", "*", /there is no tool \*/],
  ])("are rejected for %s", async (_, name, message) => {
    const given = { config: { mcpServers: docs } }
    await expect(resolve({ allowed_tools: [name] }, given)).rejects.toMatchObject({
      code: "tool_not_found",
      message: expect.stringMatching(message),
    })
    await expect(resolve({ auto_approve: [name] }, given)).rejects.toMatchObject({ code: "tool_not_found" })
  })

  it("must not be an empty list", async () => {
    await expect(resolve({ allowed_tools: [] })).rejects.toMatchObject({ code: "invalid_argument" })
  })
})

describe("limits", () => {
  it("of the request take precedence over the profile's", async () => {
    const config: ConfigInput = { agents: { a: { maxSteps: 5, budgetTokens: 10 } } }
    const run = await resolve({ agent: "a", max_steps: 256, timeout_seconds: 9, budget_usd: 0.1 }, { config })
    expect(run.limits).toEqual({ maxSteps: 256, timeoutSeconds: 9, budgetMicroUsd: 100_000, budgetTokens: 10 })
  })

  it.each<Partial<StartRequest>>([
    { max_steps: 0 },
    { max_steps: 257 },
    { max_steps: 1.5 },
    { timeout_seconds: -1 },
    { timeout_seconds: Number.NaN },
    { budget_usd: 0 },
    { budget_usd: Number.POSITIVE_INFINITY },
    { budget_tokens: -5 },
  ])("are rejected if they are %j", async (request) => {
    await expect(resolve(request)).rejects.toMatchObject({ code: "invalid_argument" })
  })

  it("require a price for a budget in dollars, and only for that", async () => {
    const models = { main: { provider: "openai-compatible" as const, model: "qwen3", baseUrl: "http://x/v1" } }
    await expect(resolve({ budget_usd: 1 }, { config: { models } })).rejects.toMatchObject({
      code: "price_unknown",
      message: expect.stringContaining("prices"),
    })
    const prices = { qwen3: { inputPerMTok: 1, outputPerMTok: 1 } }
    expect((await resolve({ budget_usd: 1 }, { config: { models, prices } })).limits.budgetMicroUsd).toBe(1_000_000)
    expect((await resolve({ budget_tokens: 1 }, { config: { models } })).limits.budgetTokens).toBe(1)
  })

  it("require the prices of the fallback models for a budget or a daily limit in dollars", async () => {
    const main = { provider: "anthropic" as const, model: "claude-opus-5-5", fallback: ["local"] }
    const local = { provider: "openai-compatible" as const, model: "qwen3", baseUrl: "http://x/v1" }
    const models = { main, local }
    const refused = { code: "price_unknown", message: expect.stringContaining("local, a fallback model of main,") }
    await expect(resolve({ budget_usd: 1 }, { config: { models } })).rejects.toMatchObject(refused)
    await expect(resolve({}, { config: { models, limits: { usdPerDay: 1 } } })).rejects.toMatchObject(refused)
    await expect(resolve({ budget_tokens: 1 }, { config: { models } })).resolves.toBeDefined()
    const prices = { qwen3: { inputPerMTok: 1, outputPerMTok: 1 } }
    await expect(resolve({ budget_usd: 1 }, { config: { models, prices } })).resolves.toBeDefined()
  })

  it("require a price for a daily limit in dollars, and only for that", async () => {
    const models = { main: { provider: "openai-compatible" as const, model: "qwen3", baseUrl: "http://x/v1" } }
    await expect(resolve({}, { config: { models, limits: { usdPerDay: 1 } } })).rejects.toMatchObject({
      code: "price_unknown",
      message: expect.stringContaining("limits.usdPerDay"),
    })
    const prices = { qwen3: { inputPerMTok: 1, outputPerMTok: 1 } }
    await expect(resolve({}, { config: { models, prices, limits: { usdPerDay: 1 } } })).resolves.toBeDefined()
    await expect(resolve({}, { config: { models, limits: { tokensPerDay: 1 } } })).resolves.toBeDefined()
  })

  it("sandbox every run of a profile that demands it, whatever the request says", async () => {
    const agents = {
      careful: { sandbox: "require" },
      tool: { type: "binary", command: "./x.sh", sandbox: "require" },
    } as const
    const given = { config: { agents, security: { allowBinaryAgents: true } } } satisfies Given
    for (const agent of ["careful", "tool"])
      for (const sandbox of [undefined, true, false] as const)
        expect(await resolve({ agent, ...(sandbox === undefined ? {} : { sandbox }) }, given)).toMatchObject({
          sandboxed: true,
          sandbox: "require",
          approval: "policy",
        })
    expect(await resolve({ agent: "general" }, given)).toMatchObject({ sandboxed: false, sandbox: "auto" })
    await expect(resolve({ agent: "careful", sandbox: "off" }, given)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("agents.careful.sandbox"),
    })
    await expect(
      resolve({ agent: "careful" }, { config: { agents, security: { sandbox: "off" } } }),
    ).rejects.toMatchObject({ code: "sandbox_unavailable" })
  })

  it("keep a sandboxed run sandboxed, and reject it if sandboxes are disabled", async () => {
    expect(await resolve({ sandbox: true })).toMatchObject({ sandboxed: true, sandbox: "require" })
    await expect(resolve({ sandbox: true }, { config: { security: { sandbox: "off" } } })).rejects.toMatchObject({
      code: "sandbox_unavailable",
    })
  })
})

describe("the working directory", () => {
  it("must be the absolute path of a directory, and is resolved to its real path", async () => {
    for (const wrong of ["relative", join(cwd, "missing"), join(cwd, "demo.yaml")])
      await expect(resolve({ cwd: wrong })).rejects.toMatchObject({ code: "invalid_argument" })
    await mkdir(join(cwd, "real"))
    await symlink(join(cwd, "real"), join(cwd, "link"))
    expect((await resolve({ cwd: join(cwd, "link") })).cwd).toBe(join(cwd, "real"))
  })

  it("adds its notes to the prompt, and no other file", async () => {
    await writeFile(join(cwd, "AGENTS.md"), "use tabs")
    await writeFile(join(cwd, "TOOLS.md"), "make test")
    await writeFile(join(cwd, "SOUL.md"), "be wild")
    const { systemPrompt } = await resolve()
    expect(systemPrompt).toMatch(/use tabs[\s\S]*make test/)
    expect(systemPrompt).not.toContain("be wild")
  })

  it("adds the notes of the folders above it, unless the session has a parent", async () => {
    await mkdir(join(cwd, ".git"))
    await mkdir(join(cwd, "app"))
    await writeFile(join(cwd, "AGENTS.md"), "use tabs")
    await writeFile(join(cwd, "app/CLAUDE.md"), "use spaces")
    const request = { cwd: join(cwd, "app") }
    expect((await resolve(request)).systemPrompt).toMatch(/file="\.\.\/AGENTS\.md">\nuse tabs[\s\S]*use spaces/)
    expect((await resolve({ ...request, isChild: true })).systemPrompt).not.toContain("project-note")
  })

  it("adds at most 32 KB of a note, cut between characters", async () => {
    await writeFile(join(cwd, "AGENTS.md"), `x${"é".repeat(20_000)}END`)
    const { systemPrompt } = await resolve()
    expect(systemPrompt).toContain(`${"é".repeat(16_383)}\n[cut after 32 KB]`)
    expect(systemPrompt).not.toContain("\uFFFD")
    expect(systemPrompt).not.toContain("END")
  })

  it("adds no note that is a link to the outside or not a file", async () => {
    const outside = await mkdtemp(join(tmpdir(), "adjutant-outside-"))
    await writeFile(join(outside, "key"), "PRIVATE")
    await symlink(join(outside, "key"), join(cwd, "AGENTS.md"))
    await mkdir(join(cwd, "TOOLS.md"))
    expect((await resolve()).systemPrompt).not.toMatch(/PRIVATE|Project notes/)
    await rm(outside, { recursive: true })
  })

  it("keeps the prompt the same from run to run", async () => {
    await writeFile(join(cwd, "AGENTS.md"), "use tabs")
    expect((await resolve()).systemPrompt).toBe((await resolve()).systemPrompt)
  })

  it("keeps environment and notes if the request has its own prompt", async () => {
    await writeFile(join(cwd, "AGENTS.md"), "use tabs")
    const { systemPrompt } = await resolve({ system_prompt: "OWN", pause_on_approval: true })
    expect(systemPrompt.startsWith("OWN\n")).toBe(true)
    expect(systemPrompt).toMatch(/finish tool[\s\S]*use tabs/)
  })
})
