import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { thisMachine } from "../../../../engine/workers/machine.ts"

const temporaryFolder = async (): Promise<string> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "adjutant-machine-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe("the name of this machine", () => {
  it("is that of the environment, or else a name that can be part of a queue", () => {
    expect(thisMachine({ ADJUTANT_MACHINE: "build-1.example" }).name).toBe("build-1.example")
    expect(thisMachine({ ADJUTANT_MACHINE: "" }).name).toMatch(/^[\w.-]{1,100}$/)
    expect(thisMachine({}).name).toBe(thisMachine({}).name)
  })

  it.each(["a b", "a@b", "/a", "x".repeat(101)])("is refused if it is %s", (name) => {
    expect(() => thisMachine({ ADJUTANT_MACHINE: name })).toThrow(expect.objectContaining({ code: "invalid_config" }))
  })
})

describe("the identity of a directory", () => {
  const { identify } = thisMachine({})

  it("stays the same while it exists, and changes when another one replaces it", async () => {
    const folder = await temporaryFolder()
    const directory = join(folder, "work")
    await mkdir(directory)
    const first = await identify(directory)
    await writeFile(join(directory, "file"), "")
    expect(await identify(directory)).toBe(first)
    await rm(directory, { recursive: true })
    await mkdir(directory)
    const second = await identify(directory)
    // Without the time of creation the file system does not tell, and both are null.
    expect(second === first).toBe(first === null)
  })

  it("is undefined for what is not a directory of this machine, or reached by a link", async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, "file"), "")
    await symlink(folder, join(folder, "link"))
    for (const name of ["missing", "file", "link"]) expect(await identify(join(folder, name))).toBeUndefined()
  })
})
