import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { builtInTools } from "../../tools/own-tools.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

it("reads arguments as models write them, and names every tool that the run has to a model that calls another", async () => {
  harness = await openHarness({
    model: createFakeTurns(
      {
        calls: [
          ["Read", { path: "a.txt", limit: "1", cwd: "." }],
          ["session_spawn", {}],
        ],
      },
      { text: "Done." },
    ),
    tools: builtInTools,
  })
  await writeFile(join(harness.cwd, "a.txt"), "first\nsecond\n")
  const id = await harness.start({ allowed_tools: ["Read", "Grep"] })
  expect(await harness.client.wait(id)).toMatchObject({ final_message: "Done." })
  const rows = await harness.client.messages(id)
  const [read, unknown] = rows.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
  expect(read).toContain("1\tfirst")
  expect(read).not.toContain("second")
  expect(read).toContain("(ignored, because the tool does not have it: cwd)")
  expect(unknown).toContain("there is no tool session_spawn (did you mean sessions_spawn")
  expect(unknown).toMatch(/tools: .*Read/)
  for (const name of ["Grep", "sessions_spawn", "sessions_send"]) expect(unknown).toContain(name)
  expect(rows[1]?.message).toMatchObject({ parts: [{ call: { arguments: { file_path: "a.txt", limit: 1 } } }, {}] })
})
