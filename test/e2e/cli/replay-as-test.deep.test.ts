import { readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { execa } from "execa"
import { expect, it } from "vitest"
import { createProject, programEnv } from "./program.ts"

const root = path.resolve(import.meta.dirname, "../../..")

const models = {
  main: {
    turns: [
      { reply: { tool_calls: [{ name: "Read", arguments: { file_path: "notes.txt" } }] } },
      { reply: { tool_calls: [{ name: "Write", arguments: { file_path: "CHANGELOG.md", content: "## 1.2\n" } }] } },
      { reply: { text: "Written." } },
    ],
  },
}

/** Two runs of vitest, each of which starts a Temporal server; the limit only stops a hang. */
const patience = { timeout: 900_000 }

it("writes a test that vitest runs, and that fails when a tool behaves differently", patience, async () => {
  await using project = await createProject(models)
  const notes = path.join(project.cwd, "notes.txt")
  await writeFile(notes, "Search by label\n")
  const run = await project.run("run", "--label", "notes", "Write the notes")
  expect(run.code, run.stderr).toBe(0)
  const written = await project.run("replay", "notes", "--as-test", "agent-tests", "--output", "json")
  expect(written.code, written.stderr).toBe(0)
  expect(JSON.parse(written.stdout).files).toHaveLength(3)
  const again = await project.run("replay", "notes", "--as-test", "agent-tests")
  expect(again.code, again.stderr).toBe(2)
  expect(again.stderr).toContain("exists already")

  await symlink(path.join(root, "node_modules"), path.join(project.cwd, "node_modules"))
  const alias = {
    "adjutant/worker": path.join(root, "service/index.ts"),
    "adjutant/contracts": path.join(root, "contracts/index.ts"),
    adjutant: path.join(root, "client/index.ts"),
  }
  await writeFile(
    path.join(project.cwd, "vitest.config.mjs"),
    `export default { resolve: { alias: ${JSON.stringify(alias)} } }\n`,
  )
  const vitest = () =>
    execa(process.execPath, [path.join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", project.cwd], {
      cwd: project.cwd,
      env: programEnv(),
      extendEnv: false,
      reject: false,
      all: true,
    })
  await writeFile(path.join(project.cwd, "CHANGELOG.md"), "untouched")
  const passed = await vitest()
  expect(passed.exitCode, passed.all).toBe(0)
  expect(await readFile(path.join(project.cwd, "CHANGELOG.md"), "utf8")).toBe("untouched")
  await writeFile(notes, Buffer.from([0, 1, 2]))
  const failed = await vitest()
  expect(failed.exitCode, failed.all).toBe(1)
  expect(failed.all).toContain("expected a tool result")
})
