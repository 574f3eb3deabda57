import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findSkills } from "../../../../sessions/notes/find-skills.ts"
import { notesProject, skillText } from "./notes-project.ts"

describe("findSkills", () => {
  it("returns the skills of both folders by name, description and path; the first of two with one name", async () => {
    const { cwd, dataDir, put } = notesProject()
    put(".agents/skills/release/SKILL.md", skillText({ name: "release", description: "How to release" }))
    put(".claude/skills/release/SKILL.md", skillText({ name: "release", description: "Another" }))
    put(".claude/skills/pdf/SKILL.md", skillText({ description: '"Fill in: forms"', "allowed-tools": "Bash" }))
    put(".claude/skills/README.md", "no skill")
    expect(await findSkills(cwd, dataDir)).toEqual([
      { name: "release", description: "How to release", path: ".agents/skills/release/SKILL.md" },
      { name: "pdf", description: "Fill in: forms", path: ".claude/skills/pdf/SKILL.md" },
    ])
  })

  it("follows links that stay inside the working directory", async () => {
    const { cwd, dataDir, put, link } = notesProject()
    put("shared/release/SKILL.md", skillText({ name: "release", description: "How to release" }))
    link(".agents/skills", "../shared")
    expect(await findSkills(cwd, dataDir)).toMatchObject([{ path: ".agents/skills/release/SKILL.md" }])
  })

  it.each([
    ["without frontmatter", "Do it."],
    ["without a description", skillText({ name: "x" })],
    ["with an empty description", skillText({ name: "x", description: '"  "' })],
    ["with a name that is a path", skillText({ name: "../../x", description: "d" })],
    ["with a name in upper case", skillText({ name: "Read", description: "d" })],
    ["with a long name", skillText({ name: "x".repeat(65), description: "d" })],
    ["with a description that is no text", skillText({ description: "[a, b]" })],
    ["with invalid YAML", skillText({ description: '"unclosed' })],
    ["with aliases", skillText({ a: "&a [x, x]", b: "[*a, *a]", description: "d" })],
    ["with frontmatter that is a list", "---\n- description\n---\n"],
    ["with frontmatter that nests deeply", `---\ndescription: ${"[".repeat(8_000)}\n---\n`],
    ["with frontmatter that is too long", skillText({ note: "x".repeat(17_000), description: "d" })],
  ])("omits a file %s", async (_, text) => {
    const { cwd, dataDir, put } = notesProject()
    put(".agents/skills/x/SKILL.md", text)
    expect(await findSkills(cwd, dataDir)).toEqual([])
  })

  it("omits links that lead out of the working directory or into a data directory", async () => {
    const { root, cwd, dataDir, put, link } = notesProject()
    const text = skillText({ name: "x", description: "a secret" })
    for (const path of ["../outside/x/SKILL.md", "state/x/SKILL.md", ".adjutant/x/SKILL.md"]) put(path, text)
    link(".agents/skills/file/SKILL.md", join(root, "outside/x/SKILL.md"))
    link(".agents/skills/folder", join(root, "outside/x"))
    link(".agents/skills/data", "../../state/x")
    link(".agents/skills/other-data", "../../.adjutant/x")
    link(".claude/skills", join(root, "outside"))
    expect(await findSkills(cwd, dataDir)).toEqual([])
  })

  it("does not wait for a pipe and reads no folder as a file", async () => {
    const { cwd, dataDir } = notesProject()
    mkdirSync(join(cwd, ".agents/skills/pipe"), { recursive: true })
    mkdirSync(join(cwd, ".agents/skills/folder/SKILL.md"), { recursive: true })
    execFileSync("mkfifo", [join(cwd, ".agents/skills/pipe/SKILL.md")])
    expect(await findSkills(cwd, dataDir)).toEqual([])
  })

  it("reads a bounded number of files, whether they contain a skill or not", async () => {
    const { cwd, dataDir, put } = notesProject()
    for (let index = 0; index < 99; index++) put(`.agents/skills/a${index}/SKILL.md`, "no skill")
    for (const name of ["x", "y"]) put(`.agents/skills/${name}/SKILL.md`, skillText({ description: "d" }))
    expect(await findSkills(cwd, dataDir)).toMatchObject([{ name: "x" }])
  })

  it("finds a bounded number of skills, each with one bounded line without invisible characters", async () => {
    const { cwd, dataDir, put } = notesProject()
    for (let index = 0; index < 60; index++)
      put(
        `.agents/skills/s${index}/SKILL.md`,
        skillText({ description: JSON.stringify(`a\nb\u200b${"x".repeat(2_000)}`) }),
      )
    const skills = await findSkills(cwd, dataDir)
    expect(skills).toHaveLength(50)
    for (const { description } of skills) {
      expect(description).toMatch(/^a b\\u200bx+…$/)
      expect(description.length).toBeLessThanOrEqual(500)
    }
  })
})
