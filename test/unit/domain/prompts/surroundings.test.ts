import { describe, expect, it } from "vitest"
import {
  changedSurroundings,
  type CommandReach,
  type Surroundings,
  surroundingsBlock,
  surroundingsLines,
  usualPrograms,
  withoutChanges,
  withoutSurroundings,
  workingDirectoryOf,
} from "../../../../domain/prompts/surroundings.ts"

const facts: Surroundings = {
  date: "2026-11-29",
  platform: "Linux 6.8.0 x86_64",
  directory: '/work/"quoted"',
  branch: "main",
  commands: {
    ...{ isConfined: true, hosts: [], hasScratchOnly: false },
    tools: { platform: "Linux 6.9.0 aarch64", shell: "5.2.21", programs: ["git", "node"] },
  },
}
const lines = surroundingsLines(facts)

describe("the facts about the place of an agent", () => {
  it("name directory, branch, date, platform, shell, reach and programs", () => {
    expect(lines).toEqual([
      'Working directory: "/work/\\"quoted\\""',
      'Git branch: "main"',
      "Date: 2026-11-29",
      "Platform: Linux 6.9.0 aarch64",
      "Shell of commands: bash 5.2.21",
      "Commands run in a sandbox: they reach no network, and can write only to the working directory and a /tmp of their own",
      "Programs of commands: git, node",
      `Programs that commands do not have: ${usualPrograms.filter((name) => name !== "git" && name !== "node").join(", ")}`,
    ])
  })

  it("name what the worktree of the agent lacks", () => {
    const missing = ["lib (a submodule)", ...Array.from({ length: 20 }, (_, index) => `m${index} (a submodule)`)]
    const line = surroundingsLines({ ...facts, missing }).find((each) => each.startsWith("Empty here"))
    expect(line).toContain('although the project has files there: "lib (a submodule)", "m0 (a submodule)"')
    expect(line).toMatch(/"m18 \(a submodule\)" and 1 more$/)
  })

  const reach = { isConfined: true, hosts: ["example.org", "*.npmjs.org"], hasScratchOnly: false }
  it.each([
    [reach, /reach of the network only example\.org, \*\.npmjs\.org, and can write only to the working directory/],
    [{ ...reach, hasScratchOnly: true }, /reach no network, and can write only to the scratch folder/],
    [{ ...reach, isConfined: false }, /without a sandbox, with the rights of the user and the network of this machine/],
  ])("say what commands can reach: %j", (commands, text) => {
    expect(surroundingsLines({ ...facts, commands }).join("\n")).toMatch(text)
  })

  it("omit what is not known, and what an agent without commands does not need", () => {
    const { date, platform, directory } = facts
    expect(surroundingsLines({ date, platform, directory })).toEqual([
      lines[0],
      "Date: 2026-11-29",
      "Platform: Linux 6.8.0 x86_64",
    ])
    expect(surroundingsLines({ ...facts, branch: null })[1]).toBe("Git branch: none, a commit is checked out")
  })

  it("are the last block of a prompt, which can be removed again", () => {
    const prompt = `ROLE\n\nNOTES\n\n${surroundingsBlock(lines)}`
    expect(withoutSurroundings(prompt)).toBe("ROLE\n\nNOTES")
    expect(withoutSurroundings(`${prompt}\n\nmore`)).toBe(`${prompt}\n\nmore`)
  })

  it("name the directory, whatever the notes of the project say before them", () => {
    expect(workingDirectoryOf(`Working directory: "/elsewhere"\n\n${surroundingsBlock(lines)}`)).toBe(facts.directory)
    expect(workingDirectoryOf("ROLE")).toBeUndefined()
  })

  it("are told in one line where they differ later", () => {
    expect(changedSurroundings(lines, lines)).toBeUndefined()
    const later = surroundingsLines({ ...facts, date: "2026-11-30", branch: "fix" })
    const line = changedSurroundings(lines, later) ?? ""
    expect(line).toBe('(Changed since the start of the session: Git branch: "fix"; Date: 2026-11-30)')
    expect(withoutChanges(`${line}\n\nContinue.\n\nPlease.`)).toBe("Continue.\n\nPlease.")
    expect(withoutChanges("Continue.\n\nPlease.")).toBe("Continue.\n\nPlease.")
  })
})

it("says what confined commands see of the home directory, and leaves it out for others", () => {
  const reach = { isConfined: true, hosts: [], hasScratchOnly: false }
  const linesOf = (commands: CommandReach) =>
    surroundingsLines({ date: "2026-11-29", platform: "Linux", directory: "/work", commands }).join("\n")
  const seen = { toolchains: ["~/.cargo"], read: ["/data"], write: ["/srv/out"] }
  expect(linesOf({ ...reach, ...seen })).toContain(
    "commands can read: ~/.cargo, /data; the rest of the home directory is hidden",
  )
  expect(linesOf({ ...reach, ...seen })).toContain("a /tmp of their own, /srv/out")
  for (const commands of [reach, { ...reach, ...seen, isConfined: false }])
    expect(linesOf(commands)).not.toContain("home directory is hidden")
})
