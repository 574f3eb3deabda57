import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { readProjectNotes } from "../../../../sessions/settings/read-project-notes.ts"

const project = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-notes-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, "project")
  mkdirSync(join(cwd, "state"), { recursive: true })
  return { root, cwd, dataDir: join(cwd, "state") }
}

it("reads the notes of a directory, even through a link inside it", async () => {
  const { cwd, dataDir } = project()
  writeFileSync(join(cwd, "CLAUDE.md"), "Be kind.")
  symlinkSync("CLAUDE.md", join(cwd, "AGENTS.md"))
  writeFileSync(join(cwd, "TOOLS.md"), "Use rg.")
  expect(await readProjectNotes(cwd, dataDir)).toEqual([
    { name: "AGENTS.md", text: "Be kind." },
    { name: "TOOLS.md", text: "Use rg." },
  ])
})

it.each([
  "state/token",
  ".adjutant/token",
  "sub/.Adjutant/token",
  "../beside.txt",
  "/etc/hostname",
  "/proc/self/environ",
])("omits a note that is a link to %s", async (target) => {
  const { root, cwd, dataDir } = project()
  for (const folder of [".adjutant", "sub/.Adjutant"]) mkdirSync(join(cwd, folder), { recursive: true })
  for (const file of ["state/token", ".adjutant/token", "sub/.Adjutant/token", "../beside.txt"])
    writeFileSync(join(cwd, file), "a secret")
  symlinkSync(target, join(cwd, "AGENTS.md"))
  expect(await readProjectNotes(cwd, dataDir)).toEqual([])
  // A link may also name the data directory.
  symlinkSync(dataDir, join(root, "alias"))
  expect(await readProjectNotes(cwd, join(root, "alias"))).toEqual([])
})

it("omits the notes of a directory that a link replaced", async () => {
  const { root, cwd, dataDir } = project()
  writeFileSync(join(cwd, "AGENTS.md"), "Be kind.")
  symlinkSync(cwd, join(root, "alias"))
  expect(await readProjectNotes(join(root, "alias"), dataDir)).toEqual([])
})
