import { execFileSync } from "node:child_process"
import { afterEach, expect, it } from "vitest"
import type { ModelRequest } from "../../models/model-provider.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

const actor = { by: "test", via: "cli" }
let harness: Harness

afterEach(() => harness.close())

const lastBlock = (prompt = ""): string => prompt.slice(prompt.lastIndexOf("\n\n# ") + 2)
const instructions = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap((message) => (message.role === "user" ? [message.text] : []))

it("ends every prompt of a session with the facts of its start, and says what differs in a line before the instruction of a later run", async () => {
  const requests: ModelRequest[] = []
  const model = createFakeModel((request, turn) => {
    requests.push(request)
    return turn === 1 ? { calls: [["LS", {}]] } : { text: "Done." }
  })
  harness = await openHarness({ model })
  const { client, cwd } = harness
  execFileSync("git", ["init", "--quiet", "--initial-branch", "one"], { cwd })
  const id = await harness.start({ prompt: "Look." })
  await client.wait(id)
  const block = lastBlock(requests[0]?.systemPrompt)
  expect(block).toMatch(
    /^# Environment\n\nWorking directory: ".*"\nGit branch: "one"\nDate: \d{4}-\d\d-\d\d\nPlatform: \S+ /,
  )
  expect(block).toContain(JSON.stringify(cwd))
  await client.send({ sessionId: id, text: "Again.", type: "message", actor })
  await client.wait(id)
  execFileSync("git", ["symbolic-ref", "HEAD", "refs/heads/two"], { cwd })
  await client.send({ sessionId: id, text: "And now?", type: "message", actor })
  await client.wait(id)
  expect(new Set(requests.map(({ systemPrompt }) => systemPrompt)).size).toBe(1)
  const told = requests.map(instructions).at(-1)
  expect(told).toEqual(["Look.", "Again.", '(Changed since the start of the session: Git branch: "two")\n\nAnd now?'])
  const { id: fork } = await client.fork({ sessionId: id, atStep: 1, actor })
  await client.send({ sessionId: fork, text: "In the fork.", type: "message", actor })
  await client.wait(fork)
  expect(requests.at(-1)?.systemPrompt).toBe(requests[0]?.systemPrompt)
})

/** Returns the system prompts of a parent that makes one call, and of the child of that call. */
const promptsOf = async (delegation: "task" | "sessions", call: readonly [name: string, args: object]) => {
  const prompts: string[] = []
  const model = createFakeModel((request, turn) => {
    const isParent = instructions(request)[0] === "PARENT"
    if (turn === 1) prompts[isParent ? 0 : 1] = request.systemPrompt
    return isParent && turn === 1 ? { calls: [[call[0], { ...call[1] }]] } : { text: "Done." }
  })
  harness = await openHarness({ model, config: { agents: { general: { delegation } } } })
  await harness.client.wait(await harness.start({ prompt: "PARENT" }))
  return prompts
}

it("gives a sub-agent facts of its own", async () => {
  const [parent, child] = await promptsOf("sessions", ["sessions_spawn", { task: "CHILD" }])
  expect(lastBlock(child)).toBe(lastBlock(parent))
  expect(lastBlock(child)).toMatch(/^# Environment\n\nWorking directory/)
})

it("adds nothing to the prompt of Task", async () => {
  const [parent, child] = await promptsOf("task", ["Task", { description: "x", prompt: "y", subagent_type: "explore" }])
  expect(lastBlock(parent)).toMatch(/^# Environment\n/)
  expect(child).toMatch(/\n\n# Task\nx$/)
})
