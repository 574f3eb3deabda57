// Records golden histories: `node scripts/record-histories.ts`. An existing one is never overwritten. To delete one is a deliberate decision: the
// executions that it represents may then no longer be replayable.
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js"
import { eventually } from "../test/helpers/eventually.ts"
import { createTestServerConfig } from "../test/helpers/mcp/server-config.ts"
import { createFakeModel, createFakeTurns } from "../test/helpers/models/fake-model.ts"
import { type Harness, type HarnessOptions, openHarnessAt } from "../test/helpers/engine/open-harness-at.ts"
import { startTestServer } from "../test/helpers/engine/temporal-server.ts"
import { anonymousHistory } from "./checks/anonymous-history.ts"

const folder = path.resolve(import.meta.dirname, "../test/histories")
const actor = { by: "recorder", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const

interface Scenario {
  readonly name: string
  readonly options: HarnessOptions
  /** Returns the id of the session whose history is recorded. */
  readonly play: (harness: Harness) => Promise<string>
}

const writeThenFinish = createFakeTurns(
  { text: "I want to write.", calls: [["Write", { file_path: "a.txt", content: "a" }]] },
  { calls: [["finish", { result: "written" }]] },
)

const checkpointOf = async (harness: Harness, id: string): Promise<string> => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`${id} is not paused`)
  return document.checkpoint_id
}

/** Waits for the pause of a session, and approves its calls. */
const approveAll = async (harness: Harness, id: string): Promise<void> => {
  const checkpointId = await checkpointOf(harness, id)
  const all = { action: "accept" } as const
  await harness.client.decide({ sessionId: id, checkpointId, all, unlisted: "pending", actor })
}

const ended = (harness: Harness, id: string): Promise<void> =>
  eventually(async () => (await harness.handle(id).describe()).status.name !== "RUNNING")

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

const scenarios: readonly Scenario[] = [
  {
    name: "completed-with-tools",
    options: {
      model: createFakeTurns(
        {
          calls: [
            ["Write", { file_path: "a.txt", content: "a" }],
            ["LS", {}],
            ["Read", { file_path: "a.txt" }],
          ],
        },
        { text: "done" },
      ),
    },
    play: (harness) => harness.start(),
  },
  {
    name: "approved-by-update",
    options: { model: writeThenFinish },
    async play(harness) {
      const id = await harness.start(careful)
      await approveAll(harness, id)
      return id
    },
  },
  {
    name: "approved-by-operator-signal",
    options: { model: writeThenFinish },
    async play(harness) {
      const id = await harness.start(careful)
      await checkpointOf(harness, id)
      await harness.handle(id).signal("approve", { malformed: true })
      await harness.handle(id).signal("approve", "all")
      return id
    },
  },
  {
    name: "steered-in-a-pause",
    options: { model: writeThenFinish },
    async play(harness) {
      const id = await harness.start(careful)
      await checkpointOf(harness, id)
      await harness.client.send({ sessionId: id, text: "no files", type: "steering", actor })
      return id
    },
  },
  {
    name: "answered-question",
    options: { model: createFakeTurns({ text: "Which?" }, { calls: [["finish", { result: "that" }]] }) },
    async play(harness) {
      const id = await harness.start(careful)
      const checkpointId = await checkpointOf(harness, id)
      await harness.client.send({ sessionId: id, text: "this", type: "message", checkpointId, actor })
      return id
    },
  },
  {
    name: "cancelled-while-running",
    options: { model: createFakeModel((request) => untilAborted(request.signal)) },
    async play(harness) {
      const id = await harness.start()
      await eventually(async () => (await harness.client.info(id)).status === "running")
      await harness.client.cancel(id, actor)
      return id
    },
  },
  {
    name: "timed-out",
    options: { model: createFakeModel((request) => untilAborted(request.signal)) },
    play: (harness) => harness.start({ timeout_seconds: 1 }),
  },
  {
    name: "max-steps",
    options: { model: createFakeModel(() => ({ calls: [["LS", {}]] })) },
    play: (harness) => harness.start({ max_steps: 3 }),
  },
  {
    name: "continued-as-new",
    options: {
      config: { timing: { continueAsNewAfterEvents: 40 } },
      model: createFakeModel((_, turn) => (turn > 12 ? { text: "far" } : { calls: [["LS", {}]] })),
    },
    play: (harness) => harness.start(),
  },
  {
    name: "follow-up-run",
    options: { model: createFakeModel((_, turn) => ({ text: `answer ${turn}` })) },
    async play(harness) {
      const id = await harness.start()
      await harness.client.wait(id)
      await harness.client.send({ sessionId: id, text: "more", type: "follow_up", actor })
      return id
    },
  },
  {
    name: "parent-of-two",
    options: {
      model: createFakeModel((request, turn) => {
        const [first] = request.messages
        if (first?.role === "user" && first.text !== "Do it.") return { text: `report on ${first.text}` }
        return turn === 1
          ? {
              calls: [
                ["sessions_spawn", { task: "a" }],
                ["sessions_spawn", { task: "b" }],
                ["sessions_yield", {}],
              ],
            }
          : { text: "both have reported" }
      }),
    },
    play: (harness) => harness.start(),
  },
  {
    name: "approved-program",
    options: {
      model: createFakeTurns(),
      config: {
        security: { allowBinaryAgents: true },
        tools: { policy: { "binary:echo": "prompt" } },
        agents: { echo: { type: "binary", command: "cat", stdin: "{{task}}" } },
      },
    },
    async play(harness) {
      const id = await harness.start({ agent: "echo", auto_approve: false })
      await approveAll(harness, id)
      return id
    },
  },
  {
    name: "bridge-that-asks",
    options: {
      model: createFakeTurns(),
      config: {
        mcpServers: { docs: createTestServerConfig({}) },
        agents: { deploy: { type: "mcp-bridge", mcpTool: "mcp__docs__deploy", mcpToolInput: '{"place": "here"}' } },
      },
    },
    async play(harness) {
      const id = await harness.start({ agent: "deploy", auto_approve: true })
      const checkpointId = await checkpointOf(harness, id)
      await harness.client.send({ sessionId: id, text: "yes", type: "message", checkpointId, actor })
      return id
    },
  },
]

const record = async (address: string, { name, options, play }: Scenario): Promise<void> => {
  const file = path.join(folder, `${name}.json`)
  if (existsSync(file)) {
    process.stdout.write(`${name}: exists already\n`)
    return
  }
  const harness = await openHarnessAt(address, options)
  try {
    const id = await play(harness)
    await ended(harness, id)
    const history = await harness.handle(id).fetchHistory()
    await writeFile(file, anonymousHistory(historyToJSON(history)))
    process.stdout.write(`${name}: ${history.events?.length ?? 0} events\n`)
  } finally {
    await harness.close()
  }
}

await mkdir(folder, { recursive: true })
const server = await startTestServer()
try {
  for (const scenario of scenarios) await record(server.address, scenario)
} finally {
  await server.stop()
}
