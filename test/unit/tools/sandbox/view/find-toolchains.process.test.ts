import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { findToolchains } from "../../../../../tools/sandbox/view/find-toolchains.ts"
import { explainFailure } from "../../../../../tools/sandbox/view/explain-failure.ts"
import { resolveView, type ViewSettings } from "../../../../../tools/sandbox/view/sandbox-view.ts"
import type { Sandbox } from "../../../../../tools/sandbox/sandbox.ts"
import { describeEachBackend } from "../backends.ts"

let home: string
let sandboxes: Sandbox[] = []

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "adjutant-home-")))
})
afterEach(async () => {
  for (const sandbox of sandboxes) await sandbox.close?.()
  sandboxes = []
  await rm(home, { recursive: true, force: true })
})

const put = async (path: string, text = "secret-of-home", mode = 0o644): Promise<string> => {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await chmod(file, mode)
  return file
}

const program = (path: string, text: string) => put(path, `#!/bin/sh\necho ${text}\n`, 0o755)

const pathsOf = (path: string) =>
  findToolchains(home, { PATH: path }).found.map((each) => each.path.replace(`${home}/`, ""))

it("finds what version managers and PATH name, and of shared folders only what belongs to a program", async () => {
  await program(".cargo/bin/cargo", "cargo")
  await put(".cargo/credentials.toml")
  await program(".nvm/versions/node/v24/bin/node", "node")
  await program(".local/share/uv/python/cpython/bin/python3", "python")
  await program(".local/share/pipx/venvs/black/bin/black", "black")
  await put(".local/share/pipx/venvs/black/pyvenv.cfg")
  await mkdir(join(home, ".local/bin"), { recursive: true })
  await symlink(join(home, ".local/share/pipx/venvs/black/bin/black"), join(home, ".local/bin/black"))
  await program("tools/bin/mine", "mine")
  await put(".local/share/keyrings/login")
  const path = [".local/bin", "tools/bin", ".", "missing/bin"].map((each) => join(home, each)).join(":")
  expect(pathsOf(path).toSorted()).toEqual([
    ".cargo/bin",
    ".local/bin",
    ".local/share/pipx/venvs/black",
    ".local/share/uv/python",
    ".nvm/versions",
    "tools/bin",
  ])
})

it("passes on where version managers are, which programs look for in the home directory", async () => {
  await put("elsewhere/toolchains/stable/bin/rustc")
  expect(findToolchains(home, { RUSTUP_HOME: join(home, "elsewhere") }).env).toEqual({
    RUSTUP_HOME: join(home, "elsewhere"),
  })
  expect(findToolchains(home, { NVM_DIR: "/usr", RUSTUP_HOME: home }).env).toEqual({})
})

await describeEachBackend(async ({ name, create }) => {
  const open = async (view: Partial<ViewSettings> = {}) => {
    const settings = { read: [], write: [], toolchains: true, env: { HOME: home, PATH: process.env["PATH"] }, ...view }
    const sandbox = await create(undefined, undefined, settings)
    sandboxes.push(sandbox)
    const cwd = join(home, "projects/app/sub")
    await mkdir(cwd, { recursive: true })
    const env = { PATH: `${home}/.cargo/bin:${home}/.nvm/versions/node/v24/bin:/usr/bin:/bin` }
    const run = async (command: string) => {
      const result = await sandbox.run({
        ...{ command, cwd, env, timeoutMs: 30_000, signal: new AbortController().signal, ownerId: "test" },
        ...{ outputFile: join(home, "output.txt"), maxOutputBytes: 20_000 },
      })
      return { ...result, output: result.output.trim() }
    }
    return { sandbox, run, cwd, env }
  }

  it(`shows toolchains read-only, and no secret of the home directory (${name})`, async () => {
    await program(".cargo/bin/cargo", "cargo 1.99")
    await put(".cargo/credentials.toml")
    await put(".ssh/id_ed25519")
    await put("notes.txt")
    await mkdir(join(home, ".nvm/versions/node/v24/bin"), { recursive: true })
    await cp(process.execPath, join(home, ".nvm/versions/node/v24/bin/node"))
    const { run } = await open()
    expect((await run("cargo && node -p 1+1")).output).toBe("cargo 1.99\n2")
    const probe = await run(
      `cat ${home}/.cargo/credentials.toml ${home}/.ssh/id_ed25519 ${home}/notes.txt; echo x > ${home}/.cargo/bin/cargo; cargo`,
    )
    expect(probe.output).not.toContain("secret-of-home")
    expect(probe.output).toContain("cargo 1.99")
  })

  it(`shows what the settings name, except keys, sockets and Adjutant's own folders (${name})`, async () => {
    for (const path of [
      ".ssh/id_rsa",
      ".config/gh/hosts.yml",
      ".local/state/adjutant/a/token",
      ".cache/adjutant/x",
      "work/id_rsa",
    ])
      await put(path)
    await put("notes.txt", "notes of mine")
    await mkdir(join(home, "out"))
    const { run, sandbox } = await open({ read: ["~", "~/missing", "/run"], write: ["~/out", "~/.config"] })
    const seen = await run(
      `cat ${home}/notes.txt; cat ${home}/.ssh/id_rsa ${home}/.config/gh/hosts.yml ${home}/.local/state/adjutant/a/token ${home}/.cache/adjutant/x ${home}/work/id_rsa; echo w > ${home}/out/a; cat ${home}/out/a; echo w > ${home}/notes.txt`,
    )
    expect(seen.output).toContain("notes of mine")
    expect(seen.output).toMatch(/^w$/m)
    expect(seen.output).not.toContain("secret-of-home")
    expect((await run(`cat ${home}/notes.txt`)).output).toBe("notes of mine")
    expect(sandbox.view?.refused).toEqual([
      { path: "~/missing", why: "it does not exist" },
      { path: "/run", why: "/run stays hidden" },
      { path: "~/.config", why: `it contains ${home}/.config/gh, which stays hidden` },
    ])
  })

  it(`shows the repository above the working directory, so that git works there (${name})`, async () => {
    await put("projects/app/README.md", "of the project")
    await put("projects/app/.adjutant/store.db")
    await put("projects/other.txt")
    const { run } = await open()
    await run("true")
    await import("node:child_process").then(({ execFileSync }) =>
      execFileSync("git", ["init", "-q", join(home, "projects/app")]),
    )
    const { output } = await run(
      `git -c safe.directory='*' rev-parse --show-toplevel; cat ../README.md ../.adjutant/store.db ../../other.txt; echo x > ../README.md`,
    )
    expect(output).toContain(join(home, "projects/app"))
    expect(output).toContain("of the project")
    expect(output).not.toContain("secret-of-home")
    expect((await run("cat ../README.md; echo mine > own.txt; cat own.txt")).output).toBe("of the projectmine")
  })

  it(`keeps what package managers download for the next command, and for no other project (${name})`, async () => {
    const first = await open({ dataDir: join(home, "data-a") })
    expect((await first.run("mkdir -p $npm_config_cache && echo kept > $npm_config_cache/a")).exitCode).toBe(0)
    expect((await first.run("cat $npm_config_cache/a")).output).toBe("kept")
    const second = await open({ dataDir: join(home, "data-b") })
    expect((await second.run("cat $npm_config_cache/a; ls -A $CARGO_HOME/..")).output).not.toContain("kept")
  })

  it(`explains a failure that comes from the sandbox (${name})`, async () => {
    await program("hidden/bin/secret-tool", "tool")
    const { run, sandbox, cwd } = await open()
    const failed = { cwd, path: `${home}/hidden/bin:/usr/bin`, network: undefined, isTask: false }
    const explain = async (command: string) => explainFailure(await run(command), sandbox, failed).join("\n")
    expect(await explain("secret-tool")).toContain(`hides secret-tool, which this machine has at ${home}/hidden/bin`)
    expect(await explain("no-such-tool")).toBe("")
    expect(await explain("node -e \"require('dns').lookup('registry.example.org', (e) => { throw e })\"")).toContain(
      'has no network: repeat the command with network: ["registry.example.org"]',
    )
    expect(await explain("touch /usr/x")).toContain("write only to the working directory and /tmp")
  })
})

it("shows nothing where toolchains are switched off", async () => {
  await program(".cargo/bin/cargo", "cargo")
  const view = { read: [], write: [], toolchains: false, env: { HOME: home, PATH: "" }, dataDir: join(home, "data") }
  expect(await resolveView(view)).toMatchObject({ readOnly: [], writable: [], env: {} })
})

it("shows no folder for downloads where none can be made, such as in a read-only home", async () => {
  const cache = await put("cache", "a file")
  const settings = { read: [], write: [], toolchains: true, dataDir: join(home, "data") }
  const view = await resolveView({ ...settings, env: { HOME: home, XDG_CACHE_HOME: cache } })
  expect(view.layer).toBeUndefined()
  expect((await resolveView({ ...settings, env: { HOME: home } })).layer?.path).toContain(home)
})
