import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { parseConfig } from "../../../config/parse-config.ts"

const problemOf = (source: string): string => {
  try {
    parseConfig(source, "adjutant.config.yaml")
  } catch (error) {
    if (isAdjutantError(error)) {
      expect(error.code).toBe("invalid_config")
      return error.message
    }
    throw error
  }
  return "no error"
}

describe("parseConfig", () => {
  it("reads an empty file as all defaults", () => {
    expect(parseConfig("# nothing yet\n", "f").http.port).toBe(7420)
  })

  it.each([
    [
      "a value out of range",
      "agents:\n  reviewer:\n    maxSteps: 300\n",
      /^adjutant\.config\.yaml:3: agents\.reviewer\.maxSteps: /,
    ],
    [
      "an unknown key, with a similar one",
      "http:\n  port: 1\n  tokns: []\n",
      /:3: http\.tokns: unknown key \(did you mean tokens\?\)/,
    ],
    [
      "a wait that is a constant",
      "\ntiming:\n  laneIdleMs: 5\n",
      /:3: timing\.laneIdleMs: is a constant of Adjutant: remove it/,
    ],
    [
      "a section with nothing in it",
      "http: {}\nagents:\n  # none yet\n",
      /:2: agents: is empty: give it a value, or remove it$/,
    ],
    ["an entry with nothing in it", "models:\n  main:\n", /:2: models\.main: is empty: give it a value, or remove it$/],
    ["a setting of several forms with nothing in it", "security:\n  sandbox:\n", /:2: security\.sandbox: is empty/],
    ["a number with nothing in it", "http:\n  port: ~\n", /:2: http\.port: is empty/],
    ["a choice with nothing in it", "tools:\n  never:\n", /:2: tools\.never: is empty/],
    ["an element of a list with nothing in it", "approvals:\n  -\n", /:2: approvals\[0\]: is empty/],
    ["an unknown key at the top", "\nmodles: {}\n", /:2: modles: unknown key \(did you mean models/],
    [
      "an unknown key of a profile",
      "agents:\n  a: { maxStep: 3 }\n",
      /:2: agents\.a\.maxStep: unknown key \(did you mean maxSteps/,
    ],
    [
      "a key that only another kind of model has",
      "models:\n  m: { provider: anthropic, model: x, temperature: 1 }\n",
      /:2: models\.m\.temperature: unknown key; known here: provider, model, baseUrl, cacheMinutes, (?!.*(script|temperature|dialect))/,
    ],
    [
      "a key that only another kind of hook has",
      "inbound:\n  h: { type: standard, secretEnv: S, approvers: [a] }\n",
      /:2: inbound\.h\.approvers: unknown key; known here: type, secretEnv$/,
    ],
    [
      "the key of the other form of an MCP server",
      "mcpServers:\n  s: { command: x, url: 'http://x' }\n",
      /:2: mcpServers\.s\.url: unknown key; known here: (?!.*\burl\b)/,
    ],
    [
      "a time for a cache that cannot be set",
      "models:\n  m: { provider: anthropic, model: x, cacheMinutes: 10 }\n",
      /:2: models\.m\.cacheMinutes: expected one of 5\|60/,
    ],
    [
      "a time for a cache that requests do not name",
      "models:\n  m: { provider: openai-compatible, model: x, baseUrl: 'http://x', cacheMinutes: 60 }\n",
      /:2: models\.m\.cacheMinutes: has no effect without dialect: \{ cacheControl: true \}/,
    ],
    [
      "an unknown hook point",
      "hooks:\n  agent:llm-before-exec: []\n",
      /:2: hooks\["agent:llm-before-exec"\]: unknown key \(did you mean agent:llm-before-execute/,
    ],
    ["a missing key", "agents:\n  a: { type: binary }\n", /:2: agents\.a\.command: is missing/],
    ["an element of a list", "modelTiers:\n  - [a]\n  - [a]\n", /:3: modelTiers\[1\]\[0\]: a is in the list twice/],
    ["the intended branch of a union", "mcpServers:\n  a:\n    url: nowhere\n", /:3: mcpServers\.a\.url: /],
    ["a bad name", "agents:\n  a b: {}\n", /:2: agents\["a b"\]: is not a valid name for a profile/],
    ["a wrong discriminator", "models:\n  m: { provider: gemini, model: x }\n", /:2: models\.m\.provider: .*anthropic/],
    ["a wrong profile type", "agents:\n  m: { type: lmm }\n", /:2: agents\.m\.type: .*'llm' \| 'binary'/],
    [
      "a template with an unknown name",
      'agents:\n  b:\n    type: mcp-bridge\n    mcpTool: mcp__a__b\n    mcpToolInput: \'{"q": "{{tsk}}"}\'\n',
      /:5: agents\.b\.mcpToolInput: unknown name \{\{tsk\}\} \(did you mean task\?\).*line 1, column 8/,
    ],
    [
      "a template that is not JSON",
      "agents:\n  b:\n    type: mcp-bridge\n    mcpTool: mcp__a__b\n    mcpToolInput: |\n      {\n        {{task}}\n",
      /:5: agents\.b\.mcpToolInput: the text is not JSON: .* at line 3, column 1/,
    ],
    ["broken YAML", "http:\n  port: [1\nx: y\n", /^adjutant\.config\.yaml:\d+: /],
    ["a duplicate key", "http: {}\nhttp: {}\n", /:2: .*unique/i],
    ["a list instead of an object", "- a\n", /^adjutant\.config\.yaml:1: /],
    [
      "a secret that tools would see",
      "security:\n  envAllow: [PATH, ANTHROPIC_API_KEY]\n",
      /:2: security\.envAllow\[1\]: ANTHROPIC_API_KEY/,
    ],
    [
      "a named secret that tools would see",
      "http: { tokens: [{ name: a, tokenEnv: T, scopes: [read] }] }\nsecurity: { envAllow: [T] }\n",
      /:2: security\.envAllow\[0\]: T contains a secret/,
    ],
    [
      "allowed hosts without a sandbox",
      "security:\n  sandbox: off\n  allowedDomains: [example.org]\n",
      /:3: security\.allowedDomains: commands are not confined/,
    ],
    [
      "hosts of the sandbox without a sandbox",
      "security:\n  sandbox:\n    mode: off\n    network: [example.org]\n",
      /:4: security\.sandbox\.network: commands are not confined/,
    ],
    [
      "allowed hosts that no backend can enforce",
      "security:\n  sandboxBackends: [bubblewrap]\n  allowedDomains: [example.org]\n",
      /:3: security\.allowedDomains: only sandbox-runtime/,
    ],
    [
      "docker without an image",
      "security:\n  sandboxBackends: [docker]\n",
      /:2: security\.sandboxBackends: docker requires an image/,
    ],
    ["an image without docker", "security:\n  dockerImage: node:24\n", /:2: security\.dockerImage: no backend uses it/],
    [
      "an allowed profile that does not exist",
      "subagents:\n  allowAgents: [explor]\n",
      /:2: subagents\.allowAgents\[0\]: there is no profile explor \(did you mean explore/,
    ],
  ])("names file, line and key of %s", (_, source, expected) => {
    expect(problemOf(source)).toMatch(expected)
  })

  it("lists every problem, one per line", () => {
    expect(problemOf("htp: {}\nstore: { url: x }\n").split("\n")).toHaveLength(2)
  })

  it("rejects aliases that multiply without end", () => {
    const levels = Array.from(
      { length: 12 },
      (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index},`.repeat(10)}]`,
    )
    expect(problemOf(`l0: &l0 [a,a,a,a,a,a,a,a,a,a]\n${levels.join("\n")}\n`)).toMatch(/aliases/)
  })

  it("reads no key of the object prototype", () => {
    expect(problemOf("__proto__: { models: {} }\n")).toMatch(/__proto__/)
    expect(problemOf("agents: { __proto__: { type: binary, command: x } }\n")).not.toBe("no error")
  })

  it("accepts or rejects any text without crashing", () => {
    const piece = fc.constantFrom(
      "models",
      "agents",
      ":",
      " ",
      "\n",
      "-",
      "{",
      "}",
      "[",
      "&a",
      "*a",
      "type",
      "llm",
      "1",
      "!!map",
      "'",
      "? ",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join("")),
        ),
        (source) => {
          problemOf(source)
        },
      ),
    )
  })
})
