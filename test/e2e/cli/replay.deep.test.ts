import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { connect } from "../../../client/connect.ts"
import { createProject, type Ended, type ProjectDirectory } from "./program.ts"

const write = { name: "Write", arguments: { file_path: "CHANGELOG.md", content: "## 1.2\n" } }
const read = { name: "Read", arguments: { file_path: "notes.txt" } }
const scripts = {
  main: {
    turns: [{ reply: { tool_calls: [read] } }, { reply: { tool_calls: [write] } }, { reply: { text: "Written." } }],
  },
  other: { turns: [{ reply: { tool_calls: [read] } }, { reply: { tool_calls: [{ ...read, name: "LS" }] } }] },
}
const models = {
  main: { provider: "scripted", script: "main.yaml" },
  other: { provider: "scripted", script: "other.yaml" },
  tape: { provider: "cassette", file: "tape.json" },
}

let project: ProjectDirectory
/** Keeps the server running between the commands. */
let client: AdjutantClient
let task: string
beforeAll(async () => {
  // The tape does not exist yet, so that nobody can tell whether it calls Bash.
  project = await createProject(scripts, { ADJUTANT_TRUST: "1" })
  await writeFile(path.join(project.cwd, "notes.txt"), "Search by label\n")
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify({ models }))
  client = await connect({ cwd: project.cwd, env: { ...project.env, ADJUTANT_TRUST: "1" } })
  task = documentOf(await project.run("run", "Write the notes", "--output", "json")).task_id
})
afterAll(async () => {
  await client.close()
  await project.remove()
})

const documentOf = (ended: Ended) => {
  expect(ended.stdout, ended.stderr).not.toBe("")
  return JSON.parse(ended.stdout)
}
const changelog = () => path.join(project.cwd, "CHANGELOG.md")

describe("adjutant replay", () => {
  it("exits with 0 if the model repeats calls and outcome, and executes nothing", async () => {
    await writeFile(changelog(), "untouched")
    const ended = await project.run("replay", task, "--output", "json")
    expect(ended.code, ended.stderr).toBe(0)
    expect(documentOf(ended)).toMatchObject({ task_id: task, same: true, replayed: { outcome: "completed" } })
    expect(await readFile(changelog(), "utf8")).toBe("untouched")
  })

  it("needs the store, but no Temporal", async () => {
    const nowhere = { TEMPORAL_ADDRESS: "127.0.0.1:1" }
    const ended = await project.runWith(nowhere, "replay", task, "--output", "json")
    expect(ended.code, ended.stderr).toBe(0)
    expect(documentOf(ended)).toMatchObject({ task_id: task, same: true })
    const refused = await project.runWith(nowhere, "replay", task, "--data-dir", path.join(project.cwd, "empty"))
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${task} is in the data directory ${project.dataDir}`),
    ])
  })

  it("exits with 1 at a call without a recorded result, and says which", async () => {
    // Both scripts have the same provider and model id, so that the kept steps count as turns of the other one.
    const ended = await project.run("replay", task, "--model", "other", "--from-step", "2")
    expect(ended.code, ended.stderr).toBe(1)
    expect(ended.stdout).toContain("The calls differ:")
    expect(ended.stdout).toMatch(/ended at step 2: the model made a call that the recording did not make/)
    expect(ended.stdout).toContain("LS")
  })
})

it("repeats a cassette that export has written, and refuses another request", async () => {
  const written = await project.run("export", task, "--cassette", "tape.json")
  expect(written.code, written.stderr).toBe(0)
  await writeFile(changelog(), "old")
  const ended = await project.run("run", "Write the notes", "--model", "tape", "--output", "json")
  // A file that the session has not read is not replaced, which a strict cassette notices in the next request.
  expect(documentOf(ended).error.message).toMatch(/turn 3: message 5 was "Write ok" and is "Write error"/)
  expect(await readFile(changelog(), "utf8")).toBe("old")
  await writeFile(
    path.join(project.cwd, "adjutant.config.yaml"),
    stringify({ models: { ...models, tape: { ...models.tape, mode: "lenient" } } }),
  )
  const lenient = await project.run("run", "Write the notes again", "--model", "tape", "--output", "json")
  expect(documentOf(lenient)).toMatchObject({ outcome: "completed", final_message: "Written." })
})
