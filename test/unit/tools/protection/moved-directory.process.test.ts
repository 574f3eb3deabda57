import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type PlantedPath, plantedNotice } from "../../../../domain/workspace/planted-paths.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { describeEachBackend } from "../sandbox/backends.ts"
import { createCommand } from "../sandbox/command.ts"
import { createGuarded } from "../sandbox/guarded.ts"

// While a command ran, another one moved its working directory: what it planted there stayed, since the check looked at the earlier path.

const states = (planted: readonly PlantedPath[] = []): readonly string[] =>
  planted.map(({ path, state }) => `${path} ${state}`).toSorted()

await describeEachBackend(async ({ create }) => {
  const sandbox = await create()

  /** Starts a command in a directory that plants files when the directory was moved, and returns its end. */
  const startIn = async (rig: ReturnType<typeof createGuarded>, directory: string) => {
    mkdirSync(join(rig.cwd, directory), { recursive: true })
    const { ownerId, outputFile } = createCommand("")
    const cwd = join(rig.cwd, directory)
    const command = [
      "echo up; while [ ! -e go ]; do sleep 0.05; done; echo evil > .envrc; git init -q r",
      "printf '[core]\\n\\tfsmonitor = touch PWNED; false\\n' >> r/.git/config; echo planted",
      "while [ ! -e end ]; do sleep 0.05; done",
    ].join("; ")
    await rig.run(command, { cwd, background: true, ownerId, outputFile })
    const output = () => readFileSync(outputFile, "utf8")
    await untilPasses(() => expect(output()).toContain("up"))
    return {
      ownerId,
      /** @param now where the directory is now, relative to the one of the test */
      plant: async (now: string) => {
        writeFileSync(join(rig.cwd, now, "go"), "")
        await untilPasses(() => expect(output()).toContain("planted"))
      },
      end: async (now: string) => {
        writeFileSync(join(rig.cwd, now, "end"), "")
        await untilPasses(() => expect(readdirSync(join(rig.dataDir, "watches"))).toEqual([]))
        return (await rig.run("true", { ownerId })).planted ?? []
      },
    }
  }

  const isClean = (rig: ReturnType<typeof createGuarded>, now: string): void => {
    expect(existsSync(join(rig.cwd, now, ".envrc"))).toBe(false)
    expect(existsSync(join(rig.cwd, now, "r/.git/config"))).toBe(false)
    expect(existsSync(join(rig.cwd, now, "r"))).toBe(true)
  }

  const moves: readonly (readonly [string, string, string, string])[] = [
    ["renamed, and another one has its name", "sub", "sub2", "mv sub sub2; mkdir sub"],
    ["renamed, and a link has its name", "sub", "keep", "mv sub keep; ln -s keep sub"],
    ["moved with the folder above it", "sub/deep/er", "sub/d2/er", "mv sub/deep sub/d2"],
    ["moved to a folder that is not searched", "sub", "node_modules/x", "mkdir node_modules; mv sub node_modules/x"],
  ]
  test.each(moves)("what a command plants is moved away although its directory was %s", async (_, at, now, move) => {
    const rig = createGuarded(sandbox)
    const first = await startIn(rig, at)
    await rig.run(move)
    await first.plant(now)
    const planted = await first.end(now)
    isClean(rig, now)
    const up = "../".repeat(at.split("/").length)
    const path = at === "sub/deep/er" ? "../../d2/er" : `${up}${now}`
    expect(states(planted)).toEqual(
      [`${path} moved`, `${path}/.envrc removed`, `${path}/r/.git/config removed`].toSorted(),
    )
    expect(plantedNotice(planted)).toContain(`It was checked where it is now: ${path}\n`)
    expect(existsSync(join(rig.cwd, "sub/.envrc"))).toBe(false)
  })

  test("a folder that a person moves meanwhile keeps its protected files, and nothing appears at its earlier place", async () => {
    const rig = createGuarded(sandbox)
    rig.put("sub/.envrc", "mine")
    const first = await startIn(rig, "sub")
    renameSync(join(rig.cwd, "sub"), join(rig.root, "elsewhere"))
    await first.plant("../elsewhere")
    const planted = await first.end("../elsewhere")
    expect(readFileSync(join(rig.root, "elsewhere/.envrc"), "utf8")).toBe("mine")
    expect(existsSync(join(rig.root, "elsewhere/r/.git/config"))).toBe(false)
    expect(existsSync(join(rig.cwd, "sub"))).toBe(false)
    expect(states(planted)).toContain("../../elsewhere moved")
  })

  test("what a command planted before its directory was moved is not the state before a later one there", async () => {
    const rig = createGuarded(sandbox)
    const first = await startIn(rig, "sub")
    renameSync(join(rig.cwd, "sub"), join(rig.cwd, "sub2"))
    symlinkSync("sub2", join(rig.cwd, "sub"))
    await first.plant("sub2")
    const later = await rig.run("cat .envrc", { cwd: join(rig.cwd, "sub2") })
    expect(later.output).toContain("evil")
    isClean(rig, "sub2")
    await first.end("sub2")
    isClean(rig, "sub2")
  })

  test("a directory that is removed while a command runs there needs no check", async () => {
    const rig = createGuarded(sandbox)
    const { ownerId, outputFile } = createCommand("")
    mkdirSync(join(rig.cwd, "sub"))
    await rig.run("echo up; sleep 0.3", { cwd: join(rig.cwd, "sub"), background: true, ownerId, outputFile })
    await untilPasses(() => expect(readFileSync(outputFile, "utf8")).toContain("up"))
    rmSync(join(rig.cwd, "sub"), { recursive: true })
    mkdirSync(join(rig.cwd, "sub"))
    rig.put("sub/.envrc", "mine")
    await untilPasses(() => expect(readdirSync(join(rig.dataDir, "watches"))).toEqual([]))
    expect((await rig.run("true", { ownerId })).planted).toEqual([])
    expect(await rig.read("sub/.envrc")).toBe("mine")
  })
})
