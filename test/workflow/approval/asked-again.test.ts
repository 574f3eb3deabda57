import { existsSync, readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import type { PolicyRules } from "../../../contracts/approval/run-policy.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { wrapStore } from "../../helpers/store/wrap-store.ts"

// A call that had become one that policy asks about, or that changes a protected path, ran or failed: nobody was asked about it again.

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "ana", via: "cli" } as const

/** Opens a harness whose worker also has this policy as soon as `isStrict` is true. */
const openStrictLater = async (
  policy: PolicyRules,
  { isStrict, ...options }: Partial<HarnessOptions> & { readonly isStrict: () => boolean },
): Promise<void> => {
  harness = await openHarness({
    model: createFakeTurns(),
    ...options,
    workerPolicy: {
      sandbox: "off",
      get policy() {
        return isStrict() ? policy : {}
      },
    },
  })
}

const untilAsked = async (id: string) => {
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
  const pause = await harness.store.pauses.current(id)
  if (pause === undefined) throw new Error("no pause")
  return pause
}

const accept = async (id: string, callId: string) => {
  const decisions = { [callId]: { action: "accept" as const } }
  await harness.client.decide({ sessionId: id, unlisted: "pending", decisions, actor })
  return await harness.client.wait(id)
}

it("asks about a program that the worker asks about by the time it starts, and runs it once it is approved", async () => {
  let isProposed = false
  await openStrictLater(
    { "binary:tool": "prompt" },
    {
      isStrict: () => isProposed,
      workerStore: (store) =>
        wrapStore(store, async (method, args, call) => {
          isProposed ||= method === "events.append" && JSON.stringify(args).includes('"tool-calls-proposed"')
          return await call()
        }),
      config: {
        security: { allowBinaryAgents: true, sandbox: "off" },
        tools: { policy: { "*": "auto" } },
        agents: { tool: { type: "binary", command: "sh", args: ["-c", "echo ran >> ran"] } },
      },
    },
  )
  const id = await harness.start({ agent: "tool", prompt: "go", auto_approve: false })
  const pause = await untilAsked(id)
  expect(pause.calls).toMatchObject([
    { name: "binary:tool", preview: { asked_again: expect.stringContaining("asks about binary:tool") } },
  ])
  expect(existsSync(join(harness.cwd, "ran"))).toBe(false)
  expect(await accept(id, "call_1")).toMatchObject({ outcome: "completed" })
  expect(readFileSync(join(harness.cwd, "ran"), "utf8")).toBe("ran\n")
})

it("asks about a delegation call that the worker asks about by the time it is made", async () => {
  await openStrictLater(
    { agents_list: "prompt" },
    {
      config: { agents: { general: { delegation: "sessions" } }, tools: { policy: { "*": "auto" } } },
      isStrict: () => existsSync(join(harness.cwd, "strict")),
      model: createFakeTurns(
        {
          calls: [
            ["Write", { file_path: "strict", content: "" }],
            ["agents_list", {}],
          ],
        },
        { text: "done" },
      ),
    },
  )
  const id = await harness.start({ prompt: "go", auto_approve: false })
  const pause = await untilAsked(id)
  expect(pause.calls).toMatchObject([{ name: "agents_list", preview: { asked_again: expect.any(String) } }])
  expect(await accept(id, "call_1_2")).toMatchObject({ outcome: "completed" })
  expect((await readToolResults(harness, id))[1]).toContain("general")
  const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
  expect(events.filter(({ type, call_id: call }) => type === "tool-started" && call === "call_1_2")).toHaveLength(1)
})

it("asks by its id about a call that changes a protected path because an earlier call of its batch linked to it", async () => {
  harness = await openHarness({
    config: { security: { sandbox: "off" }, tools: { policy: { "*": "auto" } } },
    model: createFakeTurns(
      {
        calls: [
          ["Bash", { command: "ln -s conf .vscode" }],
          ["Write", { file_path: "conf/tasks.json", content: "{}" }],
        ],
      },
      { text: "done" },
    ),
  })
  const file = join(harness.cwd, "conf/tasks.json")
  await mkdir(join(harness.cwd, "conf"))
  const id = await harness.start({ prompt: "go", auto_approve: ["Bash"] })
  const pause = await untilAsked(id)
  expect(pause.calls).toMatchObject([{ name: "Write", isProtected: true }])
  const all = { sessionId: id, unlisted: "pending", all: { action: "accept" }, actor } as const
  await expect(harness.client.decide(all)).rejects.toMatchObject({ code: "invalid_argument" })
  expect(existsSync(file)).toBe(false)
  expect(await accept(id, "call_1_2")).toMatchObject({ outcome: "completed" })
  expect(readFileSync(file, "utf8")).toBe("{}")
})
