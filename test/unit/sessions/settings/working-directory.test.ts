import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { workingDirectory } from "../../../../sessions/settings/working-directory.ts"
import { isAdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { Authority } from "../../../../domain/caller/authority.ts"

interface Place {
  /** Contains `project`, and `outside` next to it. */
  readonly root: string
  readonly project: string
  /** Returns the result of a request: the real path, or `<code>: <message>` without the path itself. */
  readonly tried: (cwd: string, directories?: Authority["directories"]) => Promise<string>
}

const place = (): Place => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-directories-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, "project")
  for (const path of ["project/sub", "project/.adjutant/spill", "outside/secrets", "project-2"])
    mkdirSync(join(root, path), { recursive: true })
  writeFileSync(join(root, "outside/file"), "x")
  writeFileSync(join(project, "file"), "x")
  return {
    root,
    project,
    tried: async (cwd, directories = [project]) => {
      try {
        return await workingDirectory(cwd, { directories, dataDir: join(project, ".adjutant") })
      } catch (error) {
        if (!isAdjutantError(error)) throw error
        return `${error.code}: ${error.message.replace(cwd, "<it>")}`
      }
    },
  }
}

describe("a caller who may work in some directories", () => {
  it("works there and below, under any name", async () => {
    const { root, project, tried } = place()
    symlinkSync(project, join(root, "alias"))
    symlinkSync("../project/sub", join(root, "outside/inward"))
    expect(await tried(project)).toBe(project)
    expect(await tried(join(project, "sub/../sub/"))).toBe(join(project, "sub"))
    expect(await tried(join(root, "alias/sub"))).toBe(join(project, "sub"))
    expect(await tried(join(root, "outside/inward"))).toBe(join(project, "sub"))
    // The configured path may be a link itself.
    expect(await tried(join(project, "sub"), [join(root, "alias")])).toBe(join(project, "sub"))
  })

  it("is told what is wrong with a directory there", async () => {
    const { project, tried } = place()
    expect(await tried(join(project, "none/deep"))).toBe("invalid_argument: the working directory <it> does not exist")
    expect(await tried(join(project, "file"))).toBe("invalid_argument: the working directory <it> is not a directory")
    expect(await tried(join(project, "file/x"))).toBe("invalid_argument: the working directory <it> does not exist")
    expect(await tried("sub")).toContain("must be an absolute path")
    expect(await tried("~/.ssh")).toContain("must be an absolute path")
  })

  it("is denied every other path in the same words, whether or not it exists", async () => {
    const { root, project, tried } = place()
    const links: Readonly<Record<string, string>> = {
      there: join(root, "outside"),
      gone: join(root, "nowhere"),
      aFile: join(root, "outside/file"),
      up: "..",
      system: "/etc",
      processes: "/proc",
      loop: "loop",
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(project, name))
    const elsewhere = [
      ...["/", "/etc", "/etc/ssh", "/etc/no-such-thing", "/etc/passwd", "/etc/passwd/x", "/root", "/home", homedir()],
      ...[join(homedir(), ".ssh"), "/proc", "/proc/self", "/proc/1/cwd", "/proc/no", "/sys", "/dev", "/dev/shm"],
      ...["/run", "/var/run", "/tmp", root, join(root, "project-2"), join(root, "outside"), join(root, "nowhere")],
      ...[`${project}/..`, `${project}/../outside`, `${project}/sub/../../outside/secrets`, `${project}-2`],
      ...Object.keys(links).map((name) => join(project, name)),
      ...["secrets", "none", "file", "secrets/none"].map((name) => join(project, "there", name)),
      ...["project-2", "nowhere"].map((name) => join(project, "up", name)),
      ...["ssh", "none"].map((name) => join(project, "system", name)),
      ...["self", "self/root/etc", "none"].map((name) => join(project, "processes", name)),
      join(project, "gone/deeper"),
      join(project, "loop/deeper"),
    ]
    const answers = new Set(await Promise.all(elsewhere.map((cwd) => tried(cwd))))
    expect([...answers]).toEqual([
      "forbidden: the working directory <it> is not inside http.workspaces: choose one inside, or use a token with the scope admin",
    ])
  })

  it("has no directory if none is configured or none exists", async () => {
    const { project, tried } = place()
    expect(await tried(project, [])).toContain("forbidden")
    expect(await tried(project, [join(project, "none")])).toContain("forbidden")
  })
})

describe("every caller", () => {
  it("is kept out of the kernel's file systems and the data directory, under any name", async () => {
    const { root, project, tried } = place()
    symlinkSync("/proc", join(root, "processes"))
    symlinkSync(join(project, ".adjutant"), join(root, "data"))
    const closed = [
      ...[
        "/proc",
        "/proc/self",
        "/proc/self/root/proc",
        "/proc/no-such-thing",
        "/sys",
        "/sys/kernel",
        "/dev",
        "/dev/shm",
      ],
      ...["/run", "/var/run", "/run/user", "/etc/../proc", "//proc//self/", join(root, "processes/self")],
      ...[".adjutant", ".adjutant/spill", ".adjutant/none", "sub/../.adjutant"].map((name) => join(project, name)),
      join(root, "data/spill"),
    ]
    for (const cwd of closed) expect(await tried(cwd, "any"), cwd).toMatch(/^forbidden: <it> cannot be a working/)
    for (const name of [".adjutant", ".adjutant/spill", ".adjutant/none"])
      expect(await tried(join(project, name))).toMatch(/^forbidden: <it> cannot be a working/)
  })
})

describe("the user of the process", () => {
  it("works everywhere else", async () => {
    const { root, project, tried } = place()
    for (const cwd of ["/", "/etc", root, join(root, "outside/secrets"), project])
      expect(await tried(cwd, "any")).toBe(realpathSync(cwd))
    symlinkSync(join(root, "nowhere"), join(root, "dangling"))
    for (const cwd of [join(root, "nowhere"), join(root, "dangling")])
      expect(await tried(cwd, "any")).toBe("invalid_argument: the working directory <it> does not exist")
  })
})

describe("a protected directory", () => {
  const refused = (name: string): string =>
    `forbidden: <it> cannot be a working directory: ${name} is protected, since programs run or obey what it contains; use the directory above it`

  it.each([".git", ".git/hooks", ".git/refs", ".vscode/deep", ".config/fish", "sub/.claude"])(
    "is refused with all that it contains: %s",
    async (name) => {
      const { root, project, tried } = place()
      mkdirSync(join(project, ".git/refs"), { recursive: true })
      mkdirSync(join(project, name), { recursive: true })
      symlinkSync(join(project, name), join(root, "alias"))
      for (const directories of ["any", [project], [root]] as const) {
        const expected = expect.stringMatching(/^forbidden: .* is protected, since programs run or obey/)
        expect(await tried(join(project, name), directories)).toEqual(expected)
        expect(await tried(join(root, "alias"), directories)).toEqual(expected)
      }
    },
  )

  it("is named in the refusal, before it is told whether the directory exists", async () => {
    const { project, tried } = place()
    mkdirSync(join(project, ".vscode"))
    expect(await tried(join(project, ".vscode/none"))).toBe(refused(join(project, ".vscode")))
  })

  it("is refused without a repository and inside a repository without a working tree, too", async () => {
    const { root, project, tried } = place()
    mkdirSync(join(root, "outside/.ssh"))
    for (const name of ["objects", "refs", "hooks"]) mkdirSync(join(root, "store", name), { recursive: true })
    writeFileSync(join(root, "store/HEAD"), "ref: refs/heads/main")
    expect(await tried(join(root, "outside/.ssh"), "any")).toBe(refused(join(root, "outside/.ssh")))
    expect(await tried(join(root, "store/hooks"), "any")).toBe(refused(join(root, "store")))
    expect(await tried(project, "any")).toBe(project)
  })

  it("may contain a repository of its own, in which the user of this process works", async () => {
    const { project, tried } = place()
    mkdirSync(join(project, ".claude/worktrees/one/.git"), { recursive: true })
    const tree = join(project, ".claude/worktrees/one")
    expect(await tried(tree, "any")).toBe(tree)
    expect(await tried(tree)).toBe(refused(join(project, ".claude")))
  })
})
