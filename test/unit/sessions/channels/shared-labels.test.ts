import { expect, it, onTestFinished } from "vitest"
import { mergeTarget } from "../../../../activities/worktree/merge-facts.ts"
import { fullAuthority } from "../../../../domain/caller/authority.ts"
import { parseThreadCommand } from "../../../../domain/delivery/thread-command.ts"
import { runThreadCommand } from "../../../../sessions/channels/run-thread-command.ts"
import type { SessionsContext } from "../../../../sessions/sessions-context.ts"
import { openSettings } from "../settings/settings-rig.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"

const ambiguous =
  /the label scout names several tasks: (first|second) \(running, .* old\), (first|second) \(running, .* old\); name one by its id/
const ids = ["first", "second"]
const child = { depth: 1, label: "scout" }

it.each(["/kill scout", "/steer scout look again", "/info scout"])(
  "a thread that writes %s is told which sub-agents it can mean, and nothing happens",
  async (text) => {
    const store = await storeWithSession()
    onTestFinished(() => store.close())
    for (const id of ids) {
      await store.sessions.create(newSession(id, { ...child, parentId: "s1", rootId: "s1" }))
      await store.sessions.patch(id, { status: "running" })
    }
    const row = await store.sessions.get("s1")
    if (row === undefined) throw new Error("there is no session")
    // What acts on a session would need the engine, which is missing.
    const context = { store, redact: (shown: string) => shown } as unknown as SessionsContext
    const command = parseThreadCommand(text) ?? { name: "help" }
    const actor = { by: "thread t1", via: "channel:team", kind: "person", authority: fullAuthority } as const
    expect(await runThreadCommand(context, { row, command, messageId: "m1", actor })).toMatch(ambiguous)
  },
)

it.each([
  ["cancel_task", { task_id: "scout" }],
  ["sessions_send", { sessionKey: "scout", message: "stop" }],
  ["resume_subagent_task", { task_id: "scout", approve_all: true }],
  ["subagents", { action: "kill", target: "scout" }],
  ["subagents", { action: "log", target: "scout" }],
])("an agent that calls %s with the label of two sub-agents is told which it can mean", async (tool, args) => {
  const rig = await openSettings({ models: { main: { provider: "scripted", script: "demo.yaml" } } }, {})
  const parent = await rig.start()
  for (const id of ids) {
    await rig.store.sessions.create(newSession(id, { ...child, parentId: parent, rootId: parent }))
    await rig.store.sessions.patch(id, { status: "running" })
  }
  const children = ids.map((id, index) => ({ id, ordinal: index + 1, status: "open", label: "scout" }) as never)
  const outcome = await rig.agentCalls(parent, { tool, args, input: { children } })
  expect(outcome).toMatchObject({ kind: "answered", text: expect.stringMatching(ambiguous) })
})

it("a merge that names a label of two sub-agents is refused before anybody is asked", async () => {
  const store = await storeWithSession()
  onTestFinished(() => store.close())
  for (const id of ids) await store.sessions.create(newSession(id, { ...child, parentId: "s1", rootId: "s1" }))
  const call = { id: "call_1", name: "sessions_merge", arguments: { sessionKey: "scout", tree: "a".repeat(40) } }
  expect(await mergeTarget(store, "s1", call)).toEqual({ problem: expect.stringMatching(/names several tasks/) })
})
