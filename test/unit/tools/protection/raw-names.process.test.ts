import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { PlantedPath } from "../../../../domain/workspace/planted-paths.ts"
import { describeEachBackend } from "../sandbox/backends.ts"
import { createGuarded } from "../sandbox/guarded.ts"

// Folders whose names are not UTF-8 were not seen: what commands planted in them stayed, and what was there could be changed.

const states = (planted: readonly PlantedPath[] = []): readonly string[] =>
  planted.map(({ path, state }) => `${path} ${state}`).toSorted()

const raw = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part))))

const sh = (cwd: string, command: string): string => execFileSync("bash", ["-c", command], { cwd, encoding: "utf8" })

const fsmonitor = "printf '%s\\n' '[core]' 'fsmonitor = touch PWNED; false'"

await describeEachBackend(async ({ name, create }) => {
  const sandbox = await create()

  test("what a command plants in a folder that is not named in UTF-8 is moved away, and can be put back", async () => {
    const rig = createGuarded(sandbox)
    const { planted } = await rig.run(
      [
        `mkdir $'\\xff'; git init -q $'\\xff/r'; ${fsmonitor} >> $'\\xff/r/.git/config'; ln -s $'\\xff/r' lib`,
        "echo evil > $'\\xff/.envrc'; mkdir $'\\xff/.vscode'; echo evil > $'\\xff/.vscode/tasks.json'",
      ].join("; "),
    )
    expect(states(planted)).toEqual(["\\xff/.envrc removed", "\\xff/.vscode removed", "\\xff/r/.git/config removed"])
    expect(existsSync(join(rig.cwd, "lib/.git/config"))).toBe(false)
    expect(readdirSync(raw(`${rig.cwd}/`, 0xff))).toEqual(["r"])
    const restore = planted?.find(({ path }) => path.endsWith(".envrc"))?.restore ?? ""
    sh(rig.cwd, restore)
    expect(readFileSync(raw(`${rig.cwd}/`, 0xff, "/.envrc"), "utf8")).toBe("evil\n")
  })

  test("what is new in a protected folder under a name that is not UTF-8 is moved away, and what moves there, too", async () => {
    const rig = createGuarded(sandbox)
    rig.put("plain/.git/HEAD", "ref: refs/heads/main\n")
    const { planted } = await rig.run(
      [
        "mkdir -p plain/.git/modules/$'\\xe9'; echo evil > plain/.git/modules/$'\\xe9'/config",
        "mkdir q; echo evil > q/.envrc; mv q $'q\\xff'; mkdir .vscode; echo evil > .vscode/$'\\xfe'",
      ].join("; "),
    )
    expect(states(planted)).toEqual([
      ".vscode removed",
      "plain/.git/modules/\\xe9/config removed",
      "q\\xff/.envrc removed",
    ])
  })

  const existing = async () => {
    const rig = createGuarded(sandbox)
    sh(rig.cwd, "mkdir $'\\xff'; git init -q $'\\xff/r'; echo '[core] x = 1' > $'\\xff/r/.git/config'")
    const config = raw(`${rig.cwd}/`, 0xff, "/r/.git/config")
    const result = await rig
      .run("echo evil >> $'\\xff/r/.git/config'; mv $'\\xff' gone; rm -rf $'\\xff/r/.git'; echo end")
      .then(({ output }) => output)
      .catch((error: unknown) => String(error))
    return { config, result }
  }

  test("a repository in such a folder cannot be changed; a sandbox that cannot be told of it refuses", async () => {
    const { config, result } = await existing()
    expect(readFileSync(config, "utf8")).toBe("[core] x = 1\n")
    expect(result).toContain(name === "bubblewrap" ? "end" : "its name is not UTF-8; rename it, or use bubblewrap")
  })

  test("a file that a protected link or a configuration of git names by bytes is compared and restored", async () => {
    const rig = createGuarded(sandbox)
    sh(rig.cwd, "git init -q .; echo mine > $'\\xfe'; echo mine > $'\\xfd'; ln -s $'\\xfe' .envrc")
    sh(rig.cwd, "printf '[filter \"x\"]\\n\\tclean = sh ./\\xfd\\n' >> .git/config")
    if (name !== "bubblewrap") return
    const { planted } = await rig.run(
      "echo evil > $'\\xfd'; echo evil > $'\\xfe'; rm .envrc; ln -s $'\\xfc' .envrc; true",
    )
    expect(states(planted)).toEqual([".envrc restored"])
    expect(sh(rig.cwd, "cat .envrc $'\\xfd'")).toBe("mine\nmine\n")
  })

  test("a link to a folder of such a name does not hide what a command plants", async () => {
    const rig = createGuarded(sandbox)
    sh(rig.cwd, "mkdir $'\\xff'")
    symlinkSync(raw(0xff), join(rig.cwd, "lib"))
    const { planted } = await rig.run("echo evil > lib/.envrc")
    expect(states(planted)).toEqual(["\\xff/.envrc removed"])
  })
})
