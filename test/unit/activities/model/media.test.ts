import { MockActivityEnvironment } from "@temporalio/testing"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { z } from "zod"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { CallModelInput } from "../../../../activities/contract/agent-activities.ts"
import { createCallModel } from "../../../../activities/model/call-model.ts"
import { whileLoaded } from "../../../../activities/model/model-media.ts"
import { createWorkerSlots } from "../../../../activities/slots/worker-slots.ts"
import { createRunTool } from "../../../../activities/tools/run-tool.ts"
import { createUnstartedCalls } from "../../../../activities/unstarted-calls.ts"
import type { Message } from "../../../../contracts/message.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { mediaLimits } from "../../../../domain/media/media-limits.ts"
import { anthropicProvider } from "../../../../models/anthropic/anthropic.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import type { Tool } from "../../../../tools/tool.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { createPng } from "../../../helpers/media-files.ts"
import { createAnthropicError, createAnthropicText } from "../../../helpers/providers/anthropic-wire.ts"
import { type FakeReplies, startFakeProvider } from "../../../helpers/providers/fake-provider-server.ts"
import { createAssistantMessage, createToolResult, modelSpec } from "../../../helpers/providers/model-request.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"
import { createWorkspace } from "../../tools/workspace.ts"

const picture = createPng(80, 60)
const base64 = picture.toString("base64")
const outbox = { events: [] }
const scope = { sessionId: "s1", runId: "r1", snapshotHash: "h", step: 1, outbox }

const look: Tool = {
  name: "Look",
  description: "Looks.",
  input: z.strictObject({}),
  idempotent: true,
  readOnly: true,
  execute: async () => ({
    content: "",
    media: [
      { bytes: picture, name: "chart.png" },
      { bytes: Buffer.from("<svg/>"), name: "chart.svg" },
    ],
  }),
}

/** Runs the activities of a session whose model called Look, with a provider's server and a real store. */
const createRig = async (replies: FakeReplies) => {
  const store = await storeWithSession()
  await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: await store.snapshots.put({} as RunSnapshot) })
  const server = await startFakeProvider(replies)
  onTestFinished(() => server.close())
  const call = { id: "c1", name: "Look", arguments: {} }
  const answer = createAssistantMessage([{ type: "tool_call", call }], { stop: "tool_calls" })
  const start = { role: "user", source: "instruction", text: "Look." } as const
  const row = { runId: "r1", step: 1, fence: 1 }
  await store.messages.putAll("s1", [
    { ...row, seq: 1, message: start },
    { ...row, seq: 2, message: answer },
  ])
  const { context } = createWorkspace()
  const deps = {
    store,
    tools: new Map([["Look", look]]),
    mcp: { tools: async () => ({ tools: [], down: [], changed: [], unusable: [] }) },
    dataDir: context.cwd,
    namedFiles: () => [],
    toolEnv: () => ({}),
    sandboxFor: async () => context.sandbox,
    directoryProblem: async () => undefined,
    env: { ANTHROPIC_API_KEY: "sk-test-never-shown" },
    apiKeyEnvOf: () => "ANTHROPIC_API_KEY",
    providers: { anthropic: anthropicProvider },
    classifyModelError,
    requestHeaders: () => ({}),
    dailyCaps: { microUsd: null, tokens: null },
    providerLimits: new Map(),
    slots: createWorkerSlots(),
    streamed: { add: () => undefined, flush: async () => undefined, take: async () => [] },
    unstarted: createUnstartedCalls(),
    logger: { warn: () => undefined },
    redact: (text: string) => text,
  } as unknown as AgentDependencies
  const spec = modelSpec({ baseUrl: server.url })
  const snapshot = {
    hooks: {},
    execution: { type: "llm" },
    type: "llm",
    model: "main",
    models: { main: spec, blind: { ...spec, input: ["text"] }, other: { ...spec, model: "claude-sonnet-5-5" } },
    modelTiers: [],
    systemPrompt: "You are careful.",
    tools: ["Look"],
    deniedTools: [],
    mcpServers: {},
    policy: {},
    inheritedPolicies: [],
    approval: "all",
    delegation: "none",
    delegationTools: null,
    limits: { maxSteps: 9, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: null },
    subagents: {},
    compaction: { enabled: true, keepTurns: 8 },
    sandbox: "off",
    cwd: context.cwd,
    envAllow: [],
    timing: {
      toolTimeoutMs: 60_000,
      modelTimeoutMs: 60_000,
      killGraceMs: 200,
      bashTimeoutMs: 1_000,
      bashMaxTimeoutMs: 1_000,
      modelAttempts: 2,
      modelRetryInitialMs: 1,
      modelRetryMaxMs: 1,
      modelRetryAfterMaxMs: 1,
    },
  } as unknown as RunSnapshot
  const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 3_600_000 })
  const snapshotOf = async () => snapshot
  return {
    store,
    runTool: () =>
      environment.run(createRunTool(deps, snapshotOf), { ...scope, assistantSeq: 2, callId: "c1", resultSeq: 3 }),
    callModel: (assistantSeq: number, model: string | null = null) =>
      environment.run(createCallModel(deps, snapshotOf), {
        ...scope,
        step: assistantSeq,
        sessionSteps: 2,
        assistantSeq,
        append: [],
        model,
        budget: { microUsd: null, tokens: null },
        spending: { ranMs: 0, childrenMicroUsd: 0, childrenTokens: 0 },
        compactions: 3,
        waitsSince: null,
      }),
    sent: () => server.requests.map(({ body }) => JSON.stringify(body["messages"])),
  }
}

describe("an image that a tool returned", () => {
  test("is stored once, referred to in the transcript, and sent to the model", async () => {
    const { store, runTool, callModel, sent } = await createRig([createAnthropicText("A chart.")])
    expect(await runTool()).toMatchObject({ outcome: "ok" })
    const row = await store.messages.get("s1", 3)
    expect(row?.message).toMatchObject({
      outcome: "ok",
      content: `[chart.png: PNG image, 80x60 pixels, ${picture.length} bytes]\n[chart.svg: not shown: it is not a PNG, JPEG, GIF or WebP image or a PDF]`,
      media: [{ type: "media", media_type: "image/png", bytes: picture.length, width: 80, height: 60 }],
    })
    expect(JSON.stringify(row)).not.toContain(base64.slice(0, 40))
    expect(await callModel(4)).toMatchObject({ kind: "answer", preview: "A chart." })
    expect(sent()[0]).toContain(
      JSON.stringify({ type: "image", source: { type: "base64", media_type: "image/png", data: base64 } }),
    )
    await callModel(5)
    const cached = (text = "") => text.replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1)
    expect(cached(sent()[1]).startsWith(cached(sent()[0]))).toBe(true)
  })

  test("is stored with its result or not at all, and the call is made again", async () => {
    const { store, runTool } = await createRig([createAnthropicText("Unused.")])
    const { transaction } = store
    const failing = vi.spyOn(store, "transaction").mockImplementation((body, outlasts) =>
      transaction((writes) => {
        const put = () => Promise.reject(new Error("the disk is full"))
        return body({ ...writes, media: { ...writes.media, put } })
      }, outlasts),
    )
    await expect(runTool()).rejects.toThrow("the disk is full")
    expect(await store.messages.get("s1", 3)).toBeUndefined()
    failing.mockImplementation((body, outlasts) =>
      transaction((writes) => {
        const finish = () => Promise.reject(new Error("the disk is full again"))
        return body({ ...writes, claims: { ...writes.claims, finish } })
      }, outlasts),
    )
    await expect(runTool()).rejects.toThrow("the disk is full again")
    expect((await store.media.usable("s1", modelSpec())).size).toBe(0)
    failing.mockRestore()
    await store.claims.stopped({ sessionId: "s1", seq: 3 })
    expect(await runTool()).toMatchObject({ outcome: "ok" })
    expect((await store.media.usable("s1", modelSpec())).size).toBe(1)
  })

  test("is a text for a model that does not accept images", async () => {
    const { runTool, callModel, sent } = await createRig([createAnthropicText("I see none.")])
    await runTool()
    await callModel(4, "blind")
    expect(sent()[0]).toContain("[The PNG image is not shown: the model in use does not accept images.]")
    expect(sent()[0]).not.toContain("base64")
  })

  test("is not accepted by a model without images after a compaction either, which invites to no other call", async () => {
    const { store, runTool, callModel, sent } = await createRig([createAnthropicText("I see none.")])
    await runTool()
    const compaction = { kind: "results", summarised: 0, referenced: 3 } as const
    const message = { role: "user", source: "compaction", text: "", compaction } as const
    await store.messages.putAll("s1", [{ runId: "r1", step: 1, fence: 1, seq: 4, message }])
    await callModel(5, "blind")
    expect(sent()[0]).toContain("the model in use does not accept images.]")
    expect(sent()[0]).not.toContain("to see it again")
  })

  test("is left out for good if the provider refuses it, and the model is asked again at once", async () => {
    const refusal = createAnthropicError(400, { type: "invalid_request_error", message: "Could not process image" })
    const { store, runTool, callModel, sent } = await createRig(({ body }) =>
      JSON.stringify(body).includes("base64") ? refusal : createAnthropicText("I see none."),
    )
    await runTool()
    expect(await callModel(4)).toMatchObject({ kind: "answer", preview: "I see none." })
    await callModel(5)
    expect(sent().map((text) => text.includes("base64"))).toEqual([true, false, false])
    expect(sent()[1]).toContain("[The PNG image is not shown: the model's provider did not accept it.]")
    expect(await store.media.usable("s1", modelSpec())).toEqual(new Set())
  })

  test("is still shown to another model after one provider refused it", async () => {
    const refusal = createAnthropicError(400, { type: "invalid_request_error", message: "Could not process image" })
    const { runTool, callModel, sent } = await createRig(({ body }) =>
      body["model"] === modelSpec().model && JSON.stringify(body).includes("base64")
        ? refusal
        : createAnthropicText("Yes."),
    )
    await runTool()
    await callModel(4)
    await callModel(5, "other")
    await callModel(6)
    expect(sent().map((text) => text.includes("base64"))).toEqual([true, false, true, false])
  })

  test("is left out if the provider refuses it after answers of the same model without it", async () => {
    const refusal = createAnthropicError(400, { type: "invalid_request_error", message: "Could not process image" })
    const { runTool, callModel, sent } = await createRig(({ body }) =>
      JSON.stringify(body).includes("base64") ? refusal : createAnthropicText("I see none."),
    )
    await runTool()
    await callModel(4, "blind")
    await callModel(5)
    await callModel(6)
    expect(sent().map((text) => text.includes("base64"))).toEqual([false, true, false, false])
  })

  test.each([
    ["because it is too long", 413, "request_too_large"],
    ["with another status", 418, "invalid_request_error"],
  ])("is not blamed if a call fails %s", async (_, status, type) => {
    const { store, runTool, callModel, sent } = await createRig([
      createAnthropicError(status, { type, message: "No." }),
    ])
    await runTool()
    await expect(callModel(4)).rejects.toThrow(/No\./)
    expect(sent()).toHaveLength(1)
    expect((await store.media.usable("s1", modelSpec())).size).toBe(1)
  })

  test("does not fail a call that the provider refuses for another reason more than twice", async () => {
    const refusal = createAnthropicError(400, { type: "invalid_request_error", message: "tools: invalid" })
    const { store, runTool, callModel, sent } = await createRig([refusal])
    await store.sessions.create(newSession("s2"))
    await runTool()
    await expect(callModel(4)).rejects.toThrow(/tools: invalid/)
    expect(sent()).toHaveLength(2)
    expect((await store.media.usable("s1", modelSpec())).size).toBe(1)
  })
})

describe("the images and PDF files of requests", () => {
  const result = (id: string, bytes: number): readonly Message[] => [
    createToolResult(id, "", { media: [{ type: "media", id, media_type: "application/pdf", bytes, sha256: id }] }),
  ]
  const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 3_600_000 })

  test("are loaded only while those of all requests of the process are not too many", async () => {
    const [first, second] = [result("a", mediaLimits.processBytes - 1), result("b", 2)]
    const deps = { store: await storeWithSession(), slots: createWorkerSlots() }
    const input = { ...scope, assistantSeq: 1 } as unknown as CallModelInput
    const loaded: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const load = (name: string, messages: readonly Message[], spec = modelSpec()): Promise<void> =>
      environment.run(() =>
        whileLoaded(deps, input, {
          spec,
          messages,
          work: async () => {
            loaded.push(name)
            if (name === "first") await promise
          },
        }),
      )
    const works = [load("first", first), load("second", second)]
    // Neither of these has to wait: there are no images or PDF files, or the model does not get their bytes.
    await load("text", [])
    await load("offline", second, { ...modelSpec(), provider: "scripted" })
    expect(loaded.toSorted()).toEqual(["first", "offline", "text"])
    await untilPasses(async () =>
      expect((await deps.store.sessions.get("s1"))?.blockedBy).toMatchObject({
        type: "worker_busy",
        reason: "other calls use the 60 MB for images and PDF files",
      }),
    )
    resolve()
    await Promise.all(works)
    expect(loaded.at(-1)).toBe("second")
    expect((await deps.store.sessions.get("s1"))?.blockedBy).toBeNull()
  })
})
