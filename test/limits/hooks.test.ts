import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { engineLimits, type LimitedEngine, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import type { TestConfig } from "../helpers/engine/open-harness-at.ts"
import { type HeldTree, openHeldTree } from "../helpers/limits/held-tree.ts"

const payloadBytes = 65_536

let engine: LimitedEngine
let tree: HeldTree

beforeAll(async () => {
  engine = await startLimitedEngine({
    [engineLimits.suggestContinueAsNewEvents]: 40,
    [engineLimits.signals]: 200,
    [engineLimits.historyEvents]: 500,
    [engineLimits.payloadBytes]: payloadBytes,
  })
})
afterAll(() => engine.stop())
afterEach(() => tree.close())

const folder = mkdtempSync(join(tmpdir(), "adjutant-limits-hooks-"))

const script = (name: string, body: string): string => {
  const command = join(folder, name)
  writeFileSync(command, `#!/bin/bash\n${body}\n`)
  chmodSync(command, 0o700)
  return command
}

const log = join(folder, "log")
const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []

/** Appends `<argument> <session> <run>`. */
const recorder = script(
  "record.sh",
  `event=$(cat)
field() { sed -E "s/.*\\"$1\\":\\"([^\\"]*)\\".*/\\1/" <<< "$event"; }
echo "$1 $(field session_id) $(field run_id)" >> ${log}`,
)

const open = async (hooks: ConfigInput["hooks"], config: TestConfig = {}): Promise<void> => {
  tree = await openHeldTree(engine.address, {
    hooks,
    subagents: { maxConcurrent: 0, maxChildrenPerAgent: 4 },
    timing: { maxHistoryEvents: 300 },
    ...config,
  })
}

const untilContinuedAsNew = async (id: string): Promise<void> => {
  const execution = await tree.executionOf(id)
  await tree.keepBusy(id, async () => (await tree.executionOf(id)) !== execution)
  await tree.untilAsked(id)
}

/** Returns how often the workflow scheduled the hooks of a session, in all its executions: a hook itself is repeated if its worker dies. */
const countScheduled = async (id: string): Promise<number> => {
  const scheduledEvents = new Set<string>()
  const { temporal } = tree.harness
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId="subagent/${id}"` })) {
    const { events } = await temporal.workflow.getHandle(`subagent/${id}`, runId).fetchHistory()
    for (const { activityTaskScheduledEventAttributes: scheduled, eventId } of events ?? [])
      if (scheduled?.activityType?.name === "runHooks") scheduledEvents.add(`${runId} ${String(eventId)}`)
  }
  return scheduledEvents.size
}

const hooksPerPoint = 6
const many = (phase: string) =>
  Array.from({ length: hooksPerPoint }, (_, index) => ({ command: recorder, args: [`${phase}${index}`] }))
const namesOf = (phase: string) => Array.from({ length: hooksPerPoint }, (_, index) => `${phase}${index}`)

describe("hooks on an engine with small limits", () => {
  it("run once per run, in their order, while the sessions of a tree continue as new", async () => {
    await open({ "agent:llm-before-execute": many("before"), "agent:llm-after-execute": many("after") })
    const parent = await tree.start()
    const child = await tree.spawn(parent, "works")
    await tree.untilAsked(child)
    await untilContinuedAsNew(child)
    await tree.sayToTheEnd(child, "done")
    await untilContinuedAsNew(parent)
    await tree.sayToTheEnd(parent, "all done")
    await tree.harness.client.send({ sessionId: parent, text: "Again.", type: "follow_up", actor: tree.actor })
    await tree.untilAsked(parent)
    await untilContinuedAsNew(parent)
    tree.say(parent, { text: "done again" })
    await tree.harness.client.wait(parent)

    const runs = new Map<string, string[]>()
    for (const line of linesOf(log)) {
      const [hook = "", session = "", run = ""] = line.split(" ")
      runs.set(`${session} ${run}`, [...(runs.get(`${session} ${run}`) ?? []), hook])
    }
    expect([...runs.keys()].filter((key) => key.startsWith(`${parent} `))).toHaveLength(2)
    expect([...runs.keys()].filter((key) => key.startsWith(`${child} `))).toHaveLength(1)
    for (const names of runs.values()) expect([...new Set(names)]).toEqual([...namesOf("before"), ...namesOf("after")])
    expect([await countScheduled(parent), await countScheduled(child)]).toEqual([4, 2])
  })

  it("receive instructions and refuse with reasons that are larger than a payload of the engine", async () => {
    const received = join(folder, "received.json")
    const refuse = script(
      "refuse.sh",
      `cat > ${received}; printf '{"decision": "block", "reason": "%s"}' "$(head -c 60000 /dev/zero | tr '\\0' r)"; exit 0`,
    )
    await open({
      "agent:llm-before-execute": [{ command: refuse }],
      "agent:llm-after-execute": [{ command: recorder }],
    })
    const prompt = "p".repeat(payloadBytes * 4)
    const id = await tree.harness.start({ prompt, auto_approve: false })
    const document = await tree.harness.client.wait(id)
    if (document?.outcome !== "failed") throw new Error(`not failed but ${document?.outcome}`)
    expect(document.error.code).toBe("hook_refused")
    expect(document.error.message.length).toBeLessThan(2_000)
    expect((JSON.parse(readFileSync(received, "utf8")) as { readonly input: string }).input).toBe(prompt)
    expect(tree.model.isWaiting(id)).toBe(false)
  })
})
