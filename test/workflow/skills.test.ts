import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterEach, expect, it } from "vitest"
import type { ModelRequest } from "../../models/model-provider.ts"
import { createFakeModel, type FakeReply } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

/** Opens a harness whose working directory contains files, and whose model gives replies and notes every request. */
const openProject = async (files: Readonly<Record<string, string>>, replies: readonly FakeReply[]) => {
  const requests: ModelRequest[] = []
  const model = createFakeModel((request, turn) => {
    requests.push(request)
    return replies[turn - 1] ?? { text: "Done." }
  })
  harness = await openHarness({ model })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(harness.cwd, path)), { recursive: true })
    await writeFile(join(harness.cwd, path), text)
  }
  return requests
}

const resultsOf = async (id: string): Promise<readonly string[]> =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))

const skillFiles = {
  ".agents/skills/release/SKILL.md":
    "---\nname: release\ndescription: How to release\nallowed-tools: Bash\n---\nTag it.\n",
}

it("lists the skills once for the whole run, loads one, and grants nothing with it", async () => {
  const requests = await openProject(skillFiles, [
    { calls: [["Skill", { name: "release" }]] },
    { calls: [["Bash", { command: "echo tagged" }]] },
  ])
  const id = await harness.start({ auto_approve: false })
  const paused = await harness.client.wait(id)
  expect(paused).toMatchObject({
    outcome: "paused",
    pause_reason: { type: "tool_approval_required", pending_tool_calls: [{ name: "Bash" }] },
  })
  const [first, second] = requests
  expect(first?.systemPrompt).toContain("- release: How to release")
  expect(first?.tools.map(({ name }) => name)).toContain("Skill")
  expect({ prompt: second?.systemPrompt, tools: second?.tools }).toEqual({
    prompt: first?.systemPrompt,
    tools: first?.tools,
  })
  expect(await resultsOf(id)).toEqual([expect.stringMatching(/Tag it\.\n<\/project-skill>$/)])
})

it("offers no skills where none was found, nor to a run whose tools lack the tool", async () => {
  const requests = await openProject({}, [])
  await harness.client.wait(await harness.start())
  await mkdir(join(harness.cwd, ".agents/skills/release"), { recursive: true })
  await writeFile(join(harness.cwd, ".agents/skills/release/SKILL.md"), skillFiles[".agents/skills/release/SKILL.md"])
  await harness.client.wait(await harness.start({ allowed_tools: ["Read"] }))
  expect(requests).toHaveLength(2)
  for (const { systemPrompt, tools } of requests) {
    expect(tools.map(({ name }) => name)).not.toContain("Skill")
    expect(systemPrompt).not.toContain("# Skills")
  }
})

it("shows the notes of a folder once, with the first call on one of its files that succeeds", async () => {
  await openProject({ "AGENTS.md": "Root.", "web/AGENTS.md": "Use tabs.", "web/a.ts": "a", "web/b.ts": "b" }, [
    { calls: [["Read", { file_path: "web/missing.ts" }]] },
    { calls: [["Read", { file_path: "web/a.ts" }]] },
    {
      calls: [
        ["Read", { file_path: "web/b.ts" }],
        ["Edit", { file_path: "web/a.ts", old_string: "a", new_string: "c" }],
      ],
    },
  ])
  const id = await harness.start()
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  const results = await resultsOf(id)
  expect(results).toHaveLength(4)
  expect(results.map((content) => content.includes("Use tabs."))).toEqual([false, true, false, false])
  expect(results.join("\n")).not.toContain("Root.")
})
