import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { chooseDataDir } from "../../../../config/data-dir/choose-data-dir.ts"
import { dataDirNameOf } from "../../../../config/data-dir/state-folder.ts"

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@example.org", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  }).trim()

const commit = (cwd: string, text: string): void => {
  writeFileSync(join(cwd, "file"), text)
  git(cwd, "add", "file")
  git(cwd, "commit", "-qm", text)
}

const createRepository = (path: string, ...texts: readonly string[]): string => {
  mkdirSync(path, { recursive: true })
  git(path, "init", "-q", ".")
  for (const text of texts) commit(path, text)
  return path
}

const createPlace = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-state-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, "project")
  mkdirSync(project)
  return { root, project, env: { XDG_STATE_HOME: join(root, "state"), PATH: process.env["PATH"] } }
}

const unusable = (text: string) => ({ code: "data_dir_unusable", message: expect.stringContaining(text) })

describe("the data directory of a project", () => {
  it("is in the user's state folder, private, and named after the project and its path", async () => {
    const { root, project, env } = createPlace()
    const dataDir = await chooseDataDir({ cwd: project, env })
    expect(dirname(dataDir)).toBe(join(root, "state", "adjutant"))
    expect(basename(dataDir)).toMatch(/^project-[0-9a-f]{8}$/)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(join(dataDir, "project.json"), "utf8"))).toEqual({
      ...{ version: 1, path: project, first_commit: null },
    })
    expect(existsSync(join(project, ".adjutant"))).toBe(false)
  })

  it("is the same in every folder of the project, whatever configuration file is named", async () => {
    const { root, project, env } = createPlace()
    createRepository(project)
    mkdirSync(join(project, "a", "b"), { recursive: true })
    writeFileSync(join(project, "a", "adjutant.config.yaml"), "")
    const ofRepository = await chooseDataDir({ cwd: project, env })
    const ofConfiguration = await chooseDataDir({ cwd: join(project, "a", "b"), env })
    expect([ofRepository, ofConfiguration].map((path) => basename(path))).toEqual(
      [project, join(project, "a")].map(dataDirNameOf),
    )
    const named = { ...env, ADJUTANT_CONFIG: join(project, "a", "adjutant.config.yaml") }
    expect(await chooseDataDir({ cwd: project, env: named })).toBe(ofRepository)
    expect(await chooseDataDir({ cwd: root, env: named })).not.toBe(ofRepository)
  })

  it.each([
    ["/srv/Ünï code!", /^-n--code--[0-9a-f]{8}$/],
    ["/", /^project-[0-9a-f]{8}$/],
    ["/srv/.hidden", /^hidden-[0-9a-f]{8}$/],
    [`/srv/${"long".repeat(50)}`, /^(long){10}-[0-9a-f]{8}$/],
  ])("has a plain and short name for %s", (path, name) => {
    expect(dataDirNameOf(path)).toMatch(name)
  })

  it("survives git clean, and is not created by reading", async () => {
    const { root, project, env } = createPlace()
    createRepository(project, "first")
    const missing = await chooseDataDir({ cwd: project, env, isReading: true })
    expect(existsSync(join(root, "state"))).toBe(false)
    const dataDir = await chooseDataDir({ cwd: project, env })
    expect(dataDir).toBe(missing)
    writeFileSync(join(dataDir, "store.db"), "tasks")
    git(project, "clean", "-fdxq")
    expect(existsSync(join(dataDir, "store.db"))).toBe(true)
  })

  it("is not taken from the home directory of a user who has none, and nothing replaces it", async () => {
    const { root, project } = createPlace()
    const home = join(root, "none")
    const problem = `there is no home directory ${home} for the data directory of ${project}: name a data directory with --data-dir`
    await expect(chooseDataDir({ cwd: project, env: { HOME: home } })).rejects.toMatchObject(unusable(problem))
    expect(existsSync(home)).toBe(false)
    const named = await chooseDataDir({ cwd: project, env: { HOME: home }, dataDir: join(root, "named") })
    expect(named).toBe(join(root, "named"))
  })

  it.runIf(process.getuid?.() !== 0)("is refused if the home directory is read-only", async () => {
    const { root, project } = createPlace()
    const home = join(root, "home")
    mkdirSync(home, { mode: 0o500 })
    await expect(chooseDataDir({ cwd: project, env: { HOME: home } })).rejects.toMatchObject(unusable("--data-dir"))
    chmodSync(home, 0o700)
  })

  it.runIf(process.platform === "linux")(
    "is refused if the system accepts no folder in the home directory",
    async () => {
      const { project } = createPlace()
      await expect(chooseDataDir({ cwd: project, env: { HOME: "/proc" } })).rejects.toMatchObject(
        unusable("--data-dir"),
      )
    },
  )

  it.runIf(process.platform === "linux")("is refused in the kernel's file systems, also for reading", async () => {
    const { root, project, env } = createPlace()
    symlinkSync("/proc", join(root, "link"))
    for (const isReading of [true, false])
      for (const dataDir of ["/proc/x", "/proc/x/y", "/sys/x", join(root, "link", "x")])
        await expect(chooseDataDir({ cwd: project, env, dataDir, isReading })).rejects.toMatchObject(
          unusable("--data-dir"),
        )
    const missing = join(root, "missing", "deep")
    expect(await chooseDataDir({ cwd: project, env, dataDir: missing, isReading: true })).toBe(missing)
    expect(existsSync(join(root, "missing"))).toBe(false)
  })

  it("is refused inside a work tree, unless it is named", async () => {
    const { root, project } = createPlace()
    createRepository(root)
    const env = { XDG_STATE_HOME: join(root, "state") }
    const inside = `is in the git work tree ${root}: name it, or another one, with --data-dir`
    await expect(chooseDataDir({ cwd: project, env })).rejects.toMatchObject(unusable(inside))
    expect(existsSync(join(root, "state"))).toBe(false)
    expect(await chooseDataDir({ cwd: project, env, dataDir: "here" })).toBe(join(project, "here"))
    const named = { ...env, ADJUTANT_DATA_DIR: "there" }
    expect(await chooseDataDir({ cwd: project, env: named })).toBe(join(project, "there"))
  })
})

describe("a data directory in the project", () => {
  const createOwn = (project: string): string => {
    mkdirSync(join(project, ".adjutant"), { recursive: true, mode: 0o700 })
    writeFileSync(join(project, ".adjutant", "store.db"), "tasks")
    return project
  }
  const noticesIn = async (cwd: string, env: NodeJS.ProcessEnv, dataDir?: string): Promise<readonly string[]> => {
    const notices: string[] = []
    const chosen = await chooseDataDir({ cwd, env, dataDir, onNotice: (line) => notices.push(line) })
    expect(dataDir === undefined).toBe(chosen !== join(realpathSync(cwd), ".adjutant"))
    return notices
  }

  it("is named in one line, with the command that takes it over, and not opened", async () => {
    const { project, env } = createPlace()
    createRepository(project, "first")
    expect(await noticesIn(createOwn(project), env)).toEqual([
      '.adjutant contains tasks and is not used: run "adjutant move .adjutant" to take them over',
    ])
    mkdirSync(join(project, "below"))
    expect((await noticesIn(join(project, "below"), env))[0]).toContain('"adjutant move ../.adjutant"')
    expect(await noticesIn(project, env, ".adjutant")).toEqual([])
  })

  it("is named without the command if it came with a clone, and refused even if the user names it", async () => {
    const { root, project, env } = createPlace()
    createRepository(project, "first")
    createOwn(project)
    git(project, "add", "-f", ".adjutant")
    git(project, "commit", "-qm", "planted")
    git(root, "clone", "-q", "project", "clone")
    const clone = join(root, "clone")
    expect(await noticesIn(clone, env)).toEqual([".adjutant came with the repository and is not used"])
    chmodSync(join(clone, ".adjutant"), 0o700)
    await expect(chooseDataDir({ cwd: clone, env, dataDir: ".adjutant" })).rejects.toMatchObject(
      unusable("git tracks files in it"),
    )
  })

  it("is not mentioned if it has only the document of a pause", async () => {
    const { project, env } = createPlace()
    mkdirSync(join(project, ".adjutant", "session"), { recursive: true })
    expect(await noticesIn(project, env)).toEqual([])
  })
})

describe("a directory that is another repository now", () => {
  const createReplaced = async () => {
    const place = createPlace()
    const { root, project, env } = place
    const old = git(createRepository(project, "old"), "rev-parse", "HEAD")
    commit(project, "second")
    const dataDir = await chooseDataDir({ cwd: project, env })
    renameSync(project, join(root, "moved"))
    const fresh = git(createRepository(project, "new"), "rev-parse", "HEAD")
    return { ...place, dataDir, old, fresh }
  }

  it("is refused with both first commits, also for reading", async () => {
    const { project, env, dataDir, old, fresh } = await createReplaced()
    for (const isReading of [true, false]) {
      const chosen = chooseDataDir({ cwd: project, env, isReading })
      await expect(chosen).rejects.toMatchObject(unusable(`${project} is another repository now`))
      await expect(chosen).rejects.toThrow(`first commit is ${old}, and the first commit of this one is ${fresh};`)
      await expect(chosen).rejects.toThrow(`--data-dir ${dataDir} and the directory of their repository as --cwd`)
    }
    expect(await chooseDataDir({ cwd: project, env, dataDir })).toBe(dataDir)
  })

  it("is asked about at a terminal, once", async () => {
    const { project, env, dataDir } = await createReplaced()
    const asked: string[] = []
    const answering = (answer: boolean) => async (question: string) => {
      asked.push(question)
      return answer
    }
    const refused = chooseDataDir({ cwd: project, env, confirm: answering(false) })
    await expect(refused).rejects.toMatchObject(unusable("nothing was started"))
    expect(await chooseDataDir({ cwd: project, env, confirm: answering(true) })).toBe(dataDir)
    expect(await chooseDataDir({ cwd: project, env, confirm: answering(false) })).toBe(dataDir)
    expect(asked).toHaveLength(2)
    expect(asked[0]).toMatch(/Use these tasks with this repository\? \[y\/N\] $/)
  })

  it("is not compared if a clone is shallow, or if there is no repository", async () => {
    const { root, project, env, dataDir } = await createReplaced()
    commit(project, "newer")
    renameSync(project, join(root, "whole"))
    git(root, "clone", "-q", "--depth", "1", `file://${join(root, "whole")}`, "project")
    expect(await chooseDataDir({ cwd: project, env })).toBe(dataDir)
    rmSync(project, { recursive: true })
    mkdirSync(project)
    expect(await chooseDataDir({ cwd: project, env })).toBe(dataDir)
  })

  it("is recorded when the repository gets its first commit, and later ones change nothing", async () => {
    const { project, env } = createPlace()
    createRepository(project)
    const dataDir = await chooseDataDir({ cwd: project, env })
    const recorded = () => JSON.parse(readFileSync(join(dataDir, "project.json"), "utf8")).first_commit
    expect(recorded()).toBeNull()
    commit(project, "first")
    const first = git(project, "rev-parse", "HEAD")
    await chooseDataDir({ cwd: project, env })
    expect(recorded()).toBe(first)
    commit(project, "second")
    git(project, "checkout", "-q", "--orphan", "other")
    commit(project, "another beginning")
    expect(await chooseDataDir({ cwd: project, env })).toBe(dataDir)
    expect(recorded()).toBe(first)
  })
})
