import { randomUUID } from "node:crypto"
import { z } from "zod"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import type { Message } from "../../../../contracts/message.ts"
import type { Store } from "../../../../store/store.ts"
import { connectAs } from "../../mcp/connect-as.ts"
import { openSettings, type SettingsRig } from "../settings/settings-rig.ts"
import { eventually } from "../../../helpers/eventually.ts"
import { isFinal } from "../../../../domain/run/is-final.ts"
import { mergeToolName } from "../../../../domain/tools/tool-names.ts"
import { delegationTools } from "../../../../contracts/delegation/delegation-tools.ts"

/** What one caller of a delegation tool gets. */
export interface Shown {
  readonly text: string
  /** Undefined for a caller that gets only the text. */
  readonly data: unknown
}

/** A caller of the delegation tools with a sub-agent that is paused (`asks`), one that has a question, and one that has ended (`done`). */
export interface Side {
  readonly ids: Readonly<Record<string, string>>
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Shown>
}

const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

const transcript: readonly Message[] = [
  { role: "user", source: "instruction", text: "look at it" },
  {
    role: "assistant",
    provider: "scripted",
    model: "fake",
    parts: [
      { type: "text", text: "I look." },
      { type: "tool_call", call: { id: "call_1", name: "LS", arguments: { path: "." } } },
    ],
    usage,
    stop: "tool_calls",
  },
  { role: "tool", call_id: "call_1", name: "LS", outcome: "ok", content: "a.txt" },
]

const say = async (store: Store, sessionId: string): Promise<void> => {
  const row = await store.sessions.get(sessionId)
  const runId = row?.runId ?? ""
  const at = await store.messages.read(sessionId, { headSeq: 1_000 })
  for (const [index, message] of (at.length > 0 ? transcript.slice(1) : transcript).entries())
    await store.messages.put(sessionId, { seq: at.length + index + 1, runId, step: 1, fence: 0, message })
  await store.sessions.patch(sessionId, { headSeq: 3 })
}

const pauseFor = async (store: Store, sessionId: string, type: "input_required" | "tool_approval_required") => {
  const runId = (await store.sessions.get(sessionId))?.runId ?? ""
  const isCall = type === "tool_approval_required"
  await store.pauses.open({
    checkpointId: `cp_${randomUUID().replaceAll("-", "")}`,
    ...{ sessionId, runId, ordinal: 0, type },
    calls: isCall ? [{ id: "call_2", name: "Write", arguments: { file_path: "a.txt", content: "alpha" } }] : [],
    message: isCall ? "I write the file." : "Which file?",
  })
  await store.sessions.patch(sessionId, { status: "paused" })
}

const allTools = [...delegationTools.map(({ name }) => name), "Read", "LS", "Write", "Bash"]

const rigConfig: ConfigInput = {
  models: { main: { provider: "scripted", script: "demo.yaml" } },
  agents: { general: { delegation: "sessions" } },
  subagents: { allowAgents: ["general", "explore"], maxSpawnDepth: 2 },
  tools: { policy: { "*": "auto" } },
}

const idIn = (text: string): string => /Task ID: (\w+)|started: (\w+)/.exec(text)?.slice(1).find(Boolean) ?? ""

type Call = Side["call"]

/** Starts the sub-agents of a caller and brings them into their states. */
const populate = async ({ store, finish }: SettingsRig, call: Call): Promise<Side["ids"]> => {
  const start = async (tool: string, args: Readonly<Record<string, unknown>>) => idIn((await call(tool, args)).text)
  const task = (description: string) =>
    start("dynamic_subagent_task", { description, instructions: "look at it", tools: ["LS", "Write"] })
  const asks = await task("Deploy")
  const question = await task("Choose")
  const done = await start("sessions_spawn", { task: "say hello", label: "greeter" })
  await say(store, asks)
  await pauseFor(store, asks, "tool_approval_required")
  await pauseFor(store, question, "input_required")
  await finish(done)
  return { asks, question, done }
}

const asAgent = async (rig: SettingsRig): Promise<Side> => {
  const parentId = await rig.start({ allowed_tools: allTools })
  const childrenOf = async () => {
    const rows = (await rig.store.sessions.list({ parentId, limit: 100 })).items.toReversed()
    return rows.map(({ id, label, runId, status }, index) => ({
      ...{ id, label, ordinal: index + 1, runId: runId ?? "" },
      status: isFinal(status) ? ("ended" as const) : status === "paused" ? status : ("running" as const),
    }))
  }
  const call: Call = async (tool, args) => {
    const children = await childrenOf()
    const input = { isUnasked: true, children }
    const whenStarted = (id: string) => (tool === "Task" ? rig.finish(id) : Promise.resolve())
    const answer = await rig.answerAgent(parentId, { tool, args, input, whenStarted })
    return { text: answer, data: undefined }
  }
  return { call, ids: await populate(rig, call) }
}

/** Ends the sub-agent for which a `Task` call waits, as soon as there is one. */
const finishTask = ({ store, finish }: SettingsRig): Promise<void> =>
  eventually(async () => {
    const { items } = await store.sessions.list({ limit: 100 })
    const open = items.find((row) => row.internal["tool"] === "Task" && row.parentId === null && !isFinal(row.status))
    if (open?.runId != null) await finish(open.id)
    return open?.runId != null
  })

const overMcp = async (rig: SettingsRig): Promise<Side> => {
  const { loaded, cwd } = rig
  const client = await connectAs(rig, "stdio:default:/srv/project", { loaded, cwd })
  const call: Call = async (tool, args) => {
    if (tool === mergeToolName) return { text: "(not offered)", data: undefined }
    if (tool === "Task" && args["prompt"] !== "") void finishTask(rig)
    return await client.call(tool, { ...args })
  }
  return { call, ids: await populate(rig, call) }
}

/** Returns a text in which ids, times and other values that differ between runs have names. */
const normalise = async (rig: SettingsRig, side: Side, text: string): Promise<string> => {
  let shown = text.replaceAll(rig.cwd, "<cwd>")
  for (const [name, id] of Object.entries(side.ids)) {
    shown = shown.replaceAll(id, `<${name}>`)
    const row = await rig.store.sessions.get(id)
    if (row?.parentId != null) shown = shown.replaceAll(row.parentId, "<parent>")
  }
  const others = (await rig.store.sessions.list({ limit: 200, includeArchived: true })).items
  for (const { id } of others) shown = shown.replaceAll(id, "<new>")
  return shown
    .replaceAll(/agent:general:main:<parent>:subagent/g, "agent:general:subagent")
    .replaceAll(/run_(?:[0-9a-z]{20,24}|of_workflow)/g, "<run>")
    .replaceAll(/cp_[0-9a-f]{32}/g, "<checkpoint>")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>")
    .replaceAll(/\b\d+\.\ds\b/g, "<duration>")
    .replaceAll(/"(duration_ms|time_ms)":\d+/g, '"$1":0')
}

/** What says nothing about a tool's answer. */
const shortened = ["usage", "limits"]

const asText = (data: unknown): string =>
  JSON.stringify(z.json().parse(data), (name, value: unknown) => (shortened.includes(name) ? "…" : value), 1)

/** One call of a tool as both callers make it. */
export interface Case {
  readonly title: string
  readonly tool: string
  readonly args: (ids: Side["ids"]) => Readonly<Record<string, unknown>>
}

/** Makes the same calls as an agent and as an MCP client, on sub-agents of their own in the same states. */
export const openBothSides = async () => {
  const rig = await openSettings(rigConfig, {})
  rig.temporal.onCancel = async (execution) => {
    execution.status = "CANCELLED"
    const id = execution.options.workflowId.replace("subagent/", "")
    await rig.store.sessions.patch(id, { status: "cancelled", stopReason: "cancelled" })
  }
  const sides = [
    ["agent", await asAgent(rig)],
    ["MCP", await overMcp(rig)],
  ] as const
  return {
    rig,
    callBoth: (made: Case) =>
      Promise.all(
        sides.map(async ([who, side]) => {
          const { text, data } = await side.call(made.tool, made.args(side.ids))
          return {
            who,
            text: await normalise(rig, side, text),
            data: data === undefined ? undefined : await normalise(rig, side, asText(data)),
          }
        }),
      ),
  }
}
