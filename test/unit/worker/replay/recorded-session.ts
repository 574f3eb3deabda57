import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { stringify } from "yaml"
import type { LoadedConfig } from "../../../../config/loaded-config.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { type ConfigInput, configSchema } from "../../../../contracts/config/config.ts"
import type { Message } from "../../../../contracts/message.ts"
import type { StopReason } from "../../../../contracts/status.ts"
import { surroundingsLines } from "../../../../domain/prompts/surroundings.ts"
import { resolveRun } from "../../../../sessions/settings/resolve-run.ts"
import type { StartRequest } from "../../../../sessions/start-request.ts"
import { newSession, openTestStore } from "../../store/store-fixture.ts"

const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Returns an answer of the recorded model with calls, by name and arguments, or with a text. */
export const answered = (
  calls: readonly (readonly [id: string, name: string, args: Record<string, unknown>])[],
  text = "",
): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "scripted",
  parts: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(([id, name, args]) => ({ type: "tool_call" as const, call: { id, name, arguments: args } })),
  ],
  usage,
  stop: calls.length > 0 ? "tool_calls" : "end_turn",
})

export const said = (text: string, source: "instruction" | "input" | "steering" = "instruction"): Message => ({
  role: "user",
  source,
  text,
})

export const resulted = (id: string, name: string, content: string, outcome: "ok" | "rejected" = "ok"): Message => ({
  role: "tool",
  call_id: id,
  name,
  outcome,
  content,
})

interface RecordedOptions {
  readonly request?: Partial<StartRequest>
  readonly config?: ConfigInput
  readonly env?: Readonly<Record<string, string>>
  readonly stopReason?: StopReason
  /** Scripts by the names of their models, in addition to `main`. */
  readonly scripts?: Readonly<Record<string, unknown>>
}

/** Creates a store with one completed session, `s1`, whose transcript is given, or made for its working directory. */
export const recordedSession = async (
  transcript: readonly Message[] | ((cwd: string) => readonly Message[]),
  options: RecordedOptions = {},
) => {
  const { request, config, env = {}, stopReason = "completed", scripts = {} } = options
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-replay-")))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const messages = typeof transcript === "function" ? transcript(cwd) : transcript
  const all = { main: { turns: [{ reply: { text: "unused" } }] }, ...scripts }
  for (const [name, script] of Object.entries(all)) await writeFile(join(cwd, `${name}.yaml`), stringify(script))
  const parsed = configSchema.parse({
    prices: { scripted: { inputPerMTok: 1, outputPerMTok: 1 } },
    ...config,
    models: {
      ...Object.fromEntries(Object.keys(all).map((name) => [name, { provider: "scripted", script: `${name}.yaml` }])),
      ...config?.models,
    },
  })
  const loaded: LoadedConfig = {
    config: parsed,
    configPath: null,
    projectRoot: cwd,
    dataDir: join(cwd, ".adjutant"),
    ...modelSpecs({ config: parsed, env, projectRoot: cwd }),
  }
  const store = await openTestStore()
  const snapshot = await resolveRun(loaded, { prompt: "do it", cwd, ...request }, env)
  const snapshotHash = await store.snapshots.put(snapshot)
  const surroundings = surroundingsLines({ date: "2026-11-29", platform: "Linux", directory: cwd })
  await store.sessions.create(newSession("s1", { cwd, internal: { surroundings } }))
  await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash })
  let step = 0
  const rows = messages.map((message, index) => {
    if (message.role === "assistant") step += 1
    return { seq: index + 1, runId: "r1", step, message, fence: 1 }
  })
  await store.messages.putAll("s1", rows)
  const last = messages.findLast((message) => message.role === "assistant")
  const finalMessage = last?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? null
  await store.runs.patch("r1", {
    status: stopReason === "completed" ? "completed" : "failed",
    stopReason,
    finalMessage,
  })
  await store.sessions.patch("s1", { headSeq: rows.length, stepsTaken: step, finalMessage, runId: "r1" })
  return { store, loaded, cwd, env, signal: new AbortController().signal }
}
