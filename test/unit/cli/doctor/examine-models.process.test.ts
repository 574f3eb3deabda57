import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { examineModels } from "../../../../cli/doctor/examine-models.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { loadConfig } from "../../../../config/load-config.ts"
import { createAnthropicAnswer, createAnthropicError } from "../../../helpers/providers/anthropic-wire.ts"
import { createChatCalls, readWireUsers } from "../../../helpers/providers/chat-model.ts"
import { createChatText } from "../../../helpers/providers/chat-wire.ts"
import { type FakeReplies, type FakeReply, startFakeProvider } from "../../../helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiError,
} from "../../../helpers/providers/openai-responses-wire.ts"
import { stubEnvironment } from "../stub-environment.ts"

const secret = "sk-secret-key-of-the-team"

const place = async (models: Readonly<Record<string, unknown>>, keys: object = { TEAM_KEY: secret }) => {
  const cwd = mkdtempSync(join(tmpdir(), "adjutant-doctor-"))
  writeFileSync(join(cwd, "adjutant.config.yaml"), stringify({ models }))
  const env = { PATH: "", HOME: cwd, ADJUTANT_TRUST: "1", ...keys }
  return { cwd, env, loaded: await loadConfig({ cwd, env, dataDir: join(cwd, "data") }) }
}

const ask = async (models: Readonly<Record<string, unknown>>, keys?: object, timeoutMs?: number) => {
  const { env, loaded } = await place(models, keys)
  return await examineModels(loaded, env, { signal: new AbortController().signal, timeoutMs })
}

const word = { word: "ready" }
const chatCall = createChatCalls(1, ["say", word])
const responsesCall = createOpenAiAnswer([
  createOpenAiCall("fc_1", "call_1", { name: "say", args: JSON.stringify(word) }),
])
const messagesCall = createAnthropicAnswer([
  { type: "tool_use", id: "toolu_1", name: "say", pieces: [JSON.stringify(word)] },
])
const ids = { anthropic: "claude-opus-5-5", openai: "gpt-6-luna", "openai-compatible": "qwen3" } as const

/** Asks a model named `main` whose server gives these answers. */
const askFake = async (provider: keyof typeof ids, replies: FakeReplies, more: object = {}) => {
  await using server = await startFakeProvider(replies)
  const main = { provider, model: ids[provider], baseUrl: `${server.url}/v1`, apiKeyEnv: "TEAM_KEY", ...more }
  const findings = await ask({ main, light: main })
  return { findings, requests: server.requests, url: `${server.url}/v1` }
}

describe("adjutant doctor --models", () => {
  it.each([
    ["anthropic", messagesCall, "context 1000000 tokens; calls tools; streams; price known"],
    ["openai", responsesCall, "context 1050000 tokens; calls tools; streams; price known"],
    ["openai-compatible", chatCall, "context unknown; calls tools; streams; price unknown"],
  ] as const)(
    "asks a model of %s once, whatever its names are, and says what it learned",
    async (provider, reply, learned) => {
      const { findings, requests } = await askFake(provider, [reply])
      expect(findings).toMatchObject([
        {
          name: "model main, light",
          status: "ok",
          detail: `${provider} ${ids[provider]} answers; key of TEAM_KEY accepted; ${learned}`,
        },
      ])
      expect(requests).toHaveLength(1)
    },
  )

  it("says what to set if the context and the price of a model are unknown", async () => {
    const { findings } = await askFake("openai-compatible", [chatCall])
    expect(findings[0]?.hint).toBe(
      'set models.main.contextTokens; set its price under "prices", which budgets in dollars require',
    )
    const known = await askFake("openai-compatible", [chatCall], { contextTokens: 32_000 })
    expect(known.findings[0]).toMatchObject({ detail: expect.stringContaining("context 32000 tokens") })
  })

  const wrongKey = "check the environment variable TEAM_KEY"
  it.each([
    ["anthropic", createAnthropicError(401, { type: "authentication_error", message: "invalid x-api-key" }), wrongKey],
    ["openai", createOpenAiError(401, { message: `Incorrect API key: ${secret}`, code: "invalid_api_key" }), wrongKey],
    ["openai-compatible", createOpenAiError(401, { message: "no such token" }), wrongKey],
    ["anthropic", createAnthropicError(404, { type: "not_found_error", message: "model: x" }), "check model"],
    ["openai", createOpenAiError(400, { message: "no", code: "model_not_found" }), "check model"],
    ["openai-compatible", createOpenAiError(404, { message: "model not found" }), "check model"],
  ] as const)("gives one line for a refusal of %s: %j", async (provider, reply, text) => {
    const { findings, requests } = await askFake(provider, [reply])
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ name: "model main, light", status: "fail" })
    expect(findings[0]?.detail).toContain(text)
    expect(findings[0]?.detail).not.toContain(secret)
    expect(findings[0]?.detail).not.toContain("\n")
    expect(requests).toHaveLength(1)
  })

  it("gives one line for a server that cannot be reached, and for one that does not answer in time", async () => {
    const gone = await startFakeProvider([chatCall])
    await gone.close()
    await using silent = await startFakeProvider([{ kind: "silence" }])
    const local = (baseUrl: string) => ({ provider: "openai-compatible", model: "qwen3", baseUrl })
    const models = { main: local(`${gone.url}/v1`), light: local(`${silent.url}/v1`) }
    expect(await ask(models, {}, 500)).toMatchObject([
      { name: "model main", status: "fail", detail: expect.stringContaining(`could not answer at ${gone.url}/v1`) },
      { name: "model light", status: "fail", detail: "no answer within 0.5 s" },
    ])
  })

  it("names the variable of a key that is not set, and sends nothing", async () => {
    await using server = await startFakeProvider([messagesCall])
    const main = { provider: "anthropic", model: "claude-opus-5-5", baseUrl: server.url, apiKeyEnv: "TEAM_KEY" }
    expect(await ask({ main, light: main }, {})).toMatchObject([
      { name: "model main, light", status: "fail", detail: "model main needs a key: set TEAM_KEY" },
    ])
    expect(server.requests).toEqual([])
  })

  it("warns of a model that does not call the tool, and of a server that refuses tools or sends a whole document", async () => {
    const ignoring = await askFake("openai-compatible", [createChatText("ready")])
    expect(ignoring.findings[0]).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("did not call the tool; streams"),
      hint: expect.stringContaining("agents need tools"),
    })
    const refusal = createOpenAiError(400, { message: "qwen3 does not support tools" })
    const refusing = await askFake("openai-compatible", ({ body }) =>
      "tools" in body ? refusal : createChatText("ready"),
    )
    expect(refusing.findings[0]).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/refuses tools \(.*qwen3 does not support tools\); streams/),
    })
    const document: FakeReply = {
      kind: "http",
      status: 200,
      body: {
        choices: [
          {
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "1", type: "function", function: { name: "say", arguments: JSON.stringify(word) } }],
            },
            finish_reason: "tool_calls",
          },
        ],
        usage: { prompt_tokens: 30, completion_tokens: 7 },
      },
    }
    const whole = await askFake("openai-compatible", [document])
    expect(whole.findings[0]).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("calls tools; does not stream"),
    })
  })

  it("does not ask a model that replays a file", async () => {
    const main = { provider: "scripted", script: "demo.yaml" }
    const findings = await ask({ main, light: main }, {})
    expect(findings.map(({ name, status, detail }) => [name, status, detail])).toEqual([
      ["model main", "ok", "scripted; not asked"],
      ["model light", "ok", "scripted; not asked"],
    ])
    expect(await ask({}, {})).toMatchObject([{ name: "models", status: "warn", detail: "no model is configured" }])
  })

  it("asks nothing without the option", async () => {
    await using server = await startFakeProvider([chatCall])
    const main = { provider: "openai-compatible", model: "qwen3", baseUrl: `${server.url}/v1` }
    const { cwd, env } = await place({ main, light: main })
    const doctor = async (...flags: readonly string[]) => {
      const { environment, written } = stubEnvironment({ cwd, env })
      await runCli(["doctor", ...flags, "--data-dir", join(cwd, "data")], environment)
      return written.stdout
    }
    expect(await doctor()).not.toContain("model main")
    expect(server.requests).toEqual([])
    expect(await doctor("--models")).toMatch(
      /^ok +model main, light +openai-compatible qwen3 answers; no key needed; /m,
    )
    expect(server.requests.map(readWireUsers)).toEqual([[expect.stringContaining('"ready"')]])
  })
})
