import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { dataDirNameOf } from "../../../config/data-dir/state-folder.ts"
import { loadConfig } from "../../../config/load-config.ts"

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "adjutant-config-")))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** An environment whose state is in a folder of the test. */
const env = (more: Readonly<Record<string, string>> = {}) => ({ XDG_STATE_HOME: join(root, "state"), ...more })

const folder = async (...path: string[]): Promise<string> => {
  const made = join(root, ...path)
  await mkdir(made, { recursive: true })
  return made
}
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777
const config = "http: { port: 1234 }\n"

describe("the configuration file", () => {
  it("is not required: defaults apply and the project is the working directory", async () => {
    const loaded = await loadConfig({ cwd: root, env: env() })
    expect(loaded).toMatchObject({ configPath: null, projectRoot: root })
    expect(loaded.config.http.port).toBe(7420)
  })

  it("is the named file, else ADJUTANT_CONFIG, else a file in a parent folder", async () => {
    await writeFile(join(root, "adjutant.config.yaml"), "http: { port: 1 }\n")
    await writeFile(join(root, "env.yaml"), "http: { port: 2 }\n")
    await writeFile(join(root, "named.yaml"), "http: { port: 3 }\n")
    const named = env({ ADJUTANT_CONFIG: "env.yaml" })
    expect((await loadConfig({ cwd: root, env: env() })).config.http.port).toBe(1)
    expect((await loadConfig({ cwd: root, env: named })).config.http.port).toBe(2)
    expect((await loadConfig({ cwd: root, env: named, configPath: "named.yaml" })).config.http.port).toBe(3)
  })

  it("can be completed by tests with waits that it does not contain", async () => {
    const shorter = env({ ADJUTANT_TEST_TIMING: '{ "heartbeatTimeoutMs": 1000 }' })
    const timing = async (given: Record<string, string>) => (await loadConfig({ cwd: root, env: given })).config.timing
    expect(await timing(shorter)).toEqual({ ...(await timing(env())), heartbeatTimeoutMs: 1_000 })
    expect(await timing(env({ ADJUTANT_TEST_TIMING: "" }))).toEqual(await timing(env()))
    for (const wrong of ['{ "noSuch": 1 }', "5", "{"])
      await expect(timing(env({ ADJUTANT_TEST_TIMING: wrong }))).rejects.toMatchObject({ code: "invalid_config" })
  })

  it("is searched for upwards to the git root and no further", async () => {
    await folder("outer", "repo", ".git")
    const deep = await folder("outer", "repo", "a", "b")
    await writeFile(join(root, "outer", "adjutant.config.yaml"), config)
    const without = await loadConfig({ cwd: deep, env: env() })
    expect(without).toMatchObject({ configPath: null, projectRoot: join(root, "outer", "repo") })
    await writeFile(join(root, "outer", "repo", "adjutant.config.yaml"), config)
    const found = await loadConfig({ cwd: deep, env: env() })
    expect(found.config.http.port).toBe(1234)
    expect(found.projectRoot).toBe(join(root, "outer", "repo"))
  })

  it("is searched for upwards to the home directory if there is no git root", async () => {
    const deep = await folder("home", "a")
    await writeFile(join(root, "home", "adjutant.config.yaml"), config)
    expect((await loadConfig({ cwd: deep, env: env({ HOME: join(root, "home") }) })).config.http.port).toBe(1234)
    expect((await loadConfig({ cwd: deep, env: env() })).configPath).toBeNull()
  })

  it("is refused by its size, before it is parsed", async () => {
    await writeFile(join(root, "adjutant.config.yaml"), `x: [${"1,".repeat(524_288)}]\n`)
    await expect(loadConfig({ cwd: root, env: env() })).rejects.toMatchObject({
      code: "invalid_config",
      message: "adjutant.config.yaml is larger than 1 MiB: keep long texts in files of their own",
    })
  })

  it("must exist if it is named", async () => {
    await expect(loadConfig({ cwd: root, env: env(), configPath: "no.yaml" })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("no.yaml"),
    })
    await expect(loadConfig({ cwd: root, env: env(), configPath: "." })).rejects.toMatchObject({
      code: "invalid_config",
    })
  })

  it("is named relative to the working directory", async () => {
    await folder(".git")
    await writeFile(join(root, "adjutant.config.yaml"), "\nhttp: { port: x }\n")
    await expect(loadConfig({ cwd: root, env: env() })).rejects.toThrow(/^adjutant\.config\.yaml:2: http\.port: /)
  })

  it("is never .env", async () => {
    await writeFile(join(root, ".env"), "ANTHROPIC_API_KEY=x\n")
    expect((await loadConfig({ cwd: root, env: env() })).models).toEqual({})
  })
})

describe("the data directory", () => {
  it("is made private and ignores itself in git", async () => {
    const { dataDir } = await loadConfig({ cwd: root, env: env() })
    expect(await modeOf(dataDir)).toBe(0o700)
    expect(await readFile(join(dataDir, ".gitignore"), "utf8")).toBe("*\n")
    expect(await modeOf(join(dataDir, ".gitignore"))).toBe(0o600)
  })

  it("is the named one, else ADJUTANT_DATA_DIR, else the project's in the user's state folder", async () => {
    const named = env({ ADJUTANT_DATA_DIR: "from-env" })
    expect((await loadConfig({ cwd: root, env: named })).dataDir).toBe(join(root, "from-env"))
    expect((await loadConfig({ cwd: root, env: named, dataDir: "named" })).dataDir).toBe(join(root, "named"))
    const { dataDir } = await loadConfig({ cwd: root, env: env() })
    expect(dataDir).toBe(join(root, "state", "adjutant", dataDirNameOf(root)))
    await expect(stat(join(root, ".adjutant"))).rejects.toThrow()
  })

  it("is made private if it is open and empty, and keeps its .gitignore", async () => {
    await writeFile(join(await folder("data"), ".gitignore"), "mine\n")
    await chmod(join(root, "data"), 0o755)
    const { dataDir } = await loadConfig({ cwd: root, env: env(), dataDir: "data" })
    expect(await modeOf(dataDir)).toBe(0o700)
    expect(await readFile(join(dataDir, ".gitignore"), "utf8")).toBe("mine\n")
  })

  it("is not believed if it is open to others and contains files", async () => {
    await writeFile(join(await folder("data"), "server.json"), "{}")
    await chmod(join(root, "data"), 0o755)
    await expect(loadConfig({ cwd: root, env: env(), dataDir: "data" })).rejects.toMatchObject({
      code: "data_dir_unusable",
      message: expect.stringContaining("files that Adjutant may not have written"),
    })
    expect(await modeOf(join(root, "data"))).toBe(0o755)
  })

  it("never changes the mode of an open directory that contains a user's files", async () => {
    const shared = await folder("shared")
    await writeFile(join(shared, "file"), "")
    await chmod(shared, 0o755)
    await expect(loadConfig({ cwd: root, env: env(), dataDir: shared })).rejects.toMatchObject({
      code: "data_dir_unusable",
    })
    expect(await modeOf(shared)).toBe(0o755)
  })

  it("is unusable if a file is in the way", async () => {
    await writeFile(join(root, "file"), "")
    await expect(loadConfig({ cwd: root, env: env(), dataDir: "file/below" })).rejects.toMatchObject({
      code: "data_dir_unusable",
      message: expect.stringContaining("--data-dir"),
    })
  })

  it.runIf(process.platform === "linux")("is unusable, at once, if the file system accepts no folders", async () => {
    await expect(loadConfig({ cwd: root, env: env(), dataDir: "/proc/adjutant/below" })).rejects.toMatchObject({
      code: "data_dir_unusable",
    })
  })

  it("is not created if the configuration is invalid", async () => {
    await writeFile(join(root, "adjutant.config.yaml"), "x: 1\n")
    await expect(loadConfig({ cwd: root, env: env() })).rejects.toMatchObject({ code: "invalid_config" })
    await expect(stat(join(root, "state"))).rejects.toThrow()
  })

  it("does not write through a .gitignore that is a link", async () => {
    const dataDir = await folder("data")
    await symlink(join(root, "elsewhere"), join(dataDir, ".gitignore"))
    await loadConfig({ cwd: root, env: env(), dataDir })
    await expect(stat(join(root, "elsewhere"))).rejects.toThrow()
  })
})
