import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { readProjectNotes, readRootNotes } from "../../../../sessions/settings/read-project-notes.ts"

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

describe("the notes of an agent that no other one started", () => {
  const repository = () => {
    const { root, cwd, dataDir } = project()
    const inner = join(cwd, "packages/app")
    mkdirSync(join(inner, "src"), { recursive: true })
    mkdirSync(join(cwd, ".git"))
    writeFileSync(join(root, "AGENTS.md"), "Outside of the repository.")
    writeFileSync(join(cwd, "AGENTS.md"), "Of the repository.")
    writeFileSync(join(cwd, "CLAUDE.md"), "For another program.")
    writeFileSync(join(cwd, "TOOLS.md"), "Tools of the repository.")
    writeFileSync(join(cwd, "packages/CLAUDE.md"), "Of all packages.")
    writeFileSync(join(inner, "AGENTS.md"), "Of the app.")
    writeFileSync(join(inner, "TOOLS.md"), "Tools of the app.")
    return { root, cwd, dataDir, inner }
  }
  const everywhere = (dataDir: string) => ({ directories: "any" as const, dataDir })

  it("are those of every folder from the root of the repository down, and CLAUDE.md where there is no AGENTS.md", async () => {
    const { cwd, dataDir, inner } = repository()
    expect(await readRootNotes(inner, everywhere(dataDir))).toEqual([
      { name: "../../AGENTS.md", text: "Of the repository." },
      { name: "../CLAUDE.md", text: "Of all packages." },
      { name: "AGENTS.md", text: "Of the app." },
      { name: "TOOLS.md", text: "Tools of the app." },
    ])
    expect(await readProjectNotes(join(cwd, "packages"), dataDir)).toEqual([])
    expect(await readRootNotes(join(inner, "src"), everywhere(dataDir))).toMatchObject([
      { name: "../../../AGENTS.md" },
      { name: "../../CLAUDE.md" },
      { name: "../AGENTS.md" },
    ])
  })

  it("are those of the working directory alone outside of a repository", async () => {
    const { root, dataDir } = repository()
    mkdirSync(join(root, "plain/below"), { recursive: true })
    writeFileSync(join(root, "plain/below/CLAUDE.md"), "Here.")
    expect(await readRootNotes(join(root, "plain/below"), everywhere(dataDir))).toEqual([
      { name: "CLAUDE.md", text: "Here." },
    ])
  })

  it("are only those of folders that the caller may use", async () => {
    const { cwd, dataDir, inner } = repository()
    const names = async (directories: readonly string[]) =>
      (await readRootNotes(inner, { directories, dataDir })).map(({ name }) => name)
    expect(await names([join(cwd, "packages")])).toEqual(["../CLAUDE.md", "AGENTS.md", "TOOLS.md"])
    expect(await names([inner])).toEqual(["AGENTS.md", "TOOLS.md"])
  })

  it("are not those of a link to another folder", async () => {
    const { root, cwd, dataDir, inner } = repository()
    rmSync(join(cwd, "AGENTS.md"))
    symlinkSync(join(root, "AGENTS.md"), join(cwd, "AGENTS.md"))
    expect((await readRootNotes(inner, everywhere(dataDir)))[0]).toEqual({
      name: "../../CLAUDE.md",
      text: "For another program.",
    })
  })
})
