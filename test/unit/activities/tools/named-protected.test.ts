import { expect, it } from "vitest"
import { namedProtected } from "../../../../activities/pause/named-protected.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

/** Paths that are protected for another reason than their names, as a file that the configuration names. */
const protectedChange = async (_: unknown, path: string) => (path === "./hooks/check.sh" ? "hooks/check.sh" : undefined)

const flagsOf = (args: Readonly<Record<string, unknown>>, name = "Bash") =>
  namedProtected({ protectedChange }, baseSnapshot, { name, arguments: args })

it.each([
  ["echo x >> .git/config", [".git/config"]],
  ["cd sub&&tee ./.git/hooks/pre-commit <x", [".git/hooks"]],
  ["cp a ~/.bashrc; cp a $HOME/.ssh/config", ["~/.bashrc", "$HOME/.ssh"]],
  [`echo x > "my dir/.envrc"`, ["dir/.envrc"]],
  [`echo x > .g""it/con'fig' && echo y > .vs\\code/tasks.json`, [".git/config", ".vscode"]],
  ["sed -i s/a/b/ ADJUTANT.CONFIG.yaml --file=AGENTS.md", ["ADJUTANT.CONFIG.yaml", "AGENTS.md"]],
  ["bash ./hooks/check.sh", ["hooks/check.sh"]],
])("a command that names a protected path says so: %s", async (command, paths) => {
  const flags = await flagsOf({ command })
  for (const path of paths) expect(flags).toContain(`names the protected path ${path}`)
})

it("other commands and other tools have no such flag", async () => {
  expect(await flagsOf({ command: "git status && cat config src/git.ts > README.md" })).toEqual([])
  expect(await flagsOf({ command: 7 })).toEqual([])
  expect(await flagsOf({ command: "cat .envrc" }, "mcp__shell__run")).toEqual([])
})

it("spells out hidden characters, and shows at most ten paths", async () => {
  expect(await flagsOf({ command: "cat .en\u200Bvrc" })).toEqual(["names the protected path .en\\u200bvrc"])
  const many = Array.from({ length: 30 }, (_, at) => `${at}/.envrc`).join(" ")
  expect(await flagsOf({ command: `cat ${many}` })).toHaveLength(10)
})
