import { chmod, chown, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { tmpdir } from "node:os"
import { localApiToken } from "../../../../config/data-dir/api-token.ts"

const dataDir = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-token-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe("the token of a data directory", () => {
  it("is created once, readable by its owner only, and is the whole file", async () => {
    const folder = await dataDir()
    const token = await localApiToken(folder)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await readFile(join(folder, "api-token"), "utf8")).toBe(token)
    expect((await lstat(join(folder, "api-token"))).mode & 0o777).toBe(0o600)
    expect(await localApiToken(folder)).toBe(token)
    expect(await readdir(folder)).toEqual(["api-token"])
    expect(await localApiToken(await dataDir())).not.toBe(token)
  })

  it("is the same for all that start at the same time", async () => {
    const folder = await dataDir()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => localApiToken(folder)))
    expect(new Set(tokens).size).toBe(1)
    expect(await readdir(folder)).toEqual(["api-token"])
  })

  it("is read without the line end that an editor adds", async () => {
    const folder = await dataDir()
    const token = "t".repeat(43)
    await writeFile(join(folder, "api-token"), `${token}\n`, { mode: 0o600 })
    expect(await localApiToken(folder)).toBe(token)
  })

  const file = (folder: string) => join(folder, "api-token")
  const planted: readonly (readonly [what: string, plant: (folder: string) => Promise<unknown>, why: string])[] = [
    [
      "a link",
      async (folder) => {
        await writeFile(join(folder, "known"), "k".repeat(43), { mode: 0o600 })
        await symlink(join(folder, "known"), file(folder))
      },
      "is a link",
    ],
    ["a link to nothing", (folder) => symlink(join(folder, "later"), file(folder)), "is a link"],
    ["a directory", (folder) => mkdir(file(folder)), "not a regular file"],
    [
      "a file that other users can read",
      async (folder) => {
        await writeFile(file(folder), "k".repeat(43))
        await chmod(file(folder), 0o640)
      },
      "other users can access it",
    ],
    ["an empty file", (folder) => writeFile(file(folder), "", { mode: 0o600 }), "does not contain a token"],
    ["a short token", (folder) => writeFile(file(folder), "secret", { mode: 0o600 }), "does not contain a token"],
    [
      "two lines",
      (folder) => writeFile(file(folder), `${"k".repeat(43)}\n${"l".repeat(43)}`, { mode: 0o600 }),
      "does not contain a token",
    ],
  ]
  it.each(planted)("is not taken from %s", async (_, plant, why) => {
    const folder = await dataDir()
    await plant(folder)
    await expect(localApiToken(folder)).rejects.toMatchObject({
      code: "data_dir_unusable",
      message: expect.stringContaining(why),
    })
    expect(await readdir(folder)).not.toContain("later")
  })

  it.runIf(process.geteuid?.() === 0)("is not taken from a file of another user", async () => {
    const folder = await dataDir()
    await writeFile(join(folder, "theirs"), "k".repeat(43), { mode: 0o600 })
    await chown(join(folder, "theirs"), 65_534, 65_534)
    await link(join(folder, "theirs"), file(folder))
    await expect(localApiToken(folder)).rejects.toThrow("belongs to another user")
  })
})
