import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { detectSandbox } from "../../../../../tools/sandbox/detect-sandbox.ts"
import type { Sandbox } from "../../../../../tools/sandbox/sandbox.ts"
import { testWith } from "../../../../helpers/needs.ts"
import { createRuntime } from "../backends.ts"

/** Projects as people have them, built and tested by their own tools, inside. */
const isInstalled = (program: string): boolean => {
  try {
    execFileSync("/bin/bash", ["-c", `command -v ${program}`], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const bubblewrap = { name: "bubblewrap", isAvailable: isInstalled("bwrap") }
const needs = (program: string) => [bubblewrap, { name: program, isAvailable: isInstalled(program) }]
/** Packages come from the registry of npm. */
const isReachable = await fetch("https://registry.npmjs.org/is-odd", { signal: AbortSignal.timeout(10_000) }).then(
  ({ ok }) => ok,
  () => false,
)

let root: string
let sandbox: Sandbox
let runtime: Sandbox | undefined

// Node of this process is the one that the tests use.
const env = { PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) }

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "adjutant-builds-")))
  const view = (name: string) => ({
    ...{ read: [], write: [], toolchains: true, dataDir: join(root, name) },
    env: { ...process.env, XDG_CACHE_HOME: join(root, "cache") },
  })
  sandbox = await detectSandbox("auto", { view: view("bubblewrap") })
  if (bubblewrap.isAvailable) runtime = await createRuntime([], undefined, undefined, view("runtime"))
})
afterAll(async () => {
  await Promise.all([sandbox.close?.(), runtime?.close?.()])
  await rm(root, { recursive: true, force: true })
})

const put = async (project: string, files: Readonly<Record<string, string>>): Promise<string> => {
  const cwd = join(root, project)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true })
    await writeFile(join(cwd, path), text)
  }
  return cwd
}

interface BuildOptions {
  readonly network?: readonly string[]
  readonly in?: Sandbox
  readonly env?: Readonly<Record<string, string>>
}

const build = async (cwd: string, command: string, options: BuildOptions = {}) => {
  const begin = performance.now()
  const result = await (options.in ?? sandbox).run({
    ...{
      command,
      cwd,
      env: { ...env, ...options.env },
      timeoutMs: 240_000,
      signal: new AbortController().signal,
      ownerId: "build",
    },
    ...{ outputFile: join(root, "output.txt"), maxOutputBytes: 20_000 },
    ...(options.network === undefined ? {} : { network: options.network }),
  })
  console.log(`${command}: ${((performance.now() - begin) / 1000).toFixed(1)} s, exit code ${result.exitCode}`)
  expect(result.exitCode, result.output).toBe(0)
  return result.output
}

testWith(
  needs("cargo"),
  "cargo builds a project and runs its tests",
  async () => {
    const cwd = await put("cargo", {
      "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "pub fn twice(x: i32) -> i32 { x * 2 }\n#[test]\nfn doubles() { assert_eq!(twice(2), 4); }\n",
    })
    expect(await build(cwd, "cargo test --offline")).toContain("1 passed")
    expect(await build(cwd, "cargo test --offline")).toContain("1 passed")
  },
  300_000,
)

testWith(
  needs("go"),
  "go builds a project and runs its tests, faster with its cache",
  async () => {
    const cwd = await put("go", {
      "go.mod": "module demo\n\ngo 1.20\n",
      "twice.go": "package demo\n\nfunc Twice(x int) int { return x * 2 }\n",
      "twice_test.go":
        'package demo\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    })
    expect(await build(cwd, "go test ./...")).not.toContain("(cached)")
    expect(await build(cwd, "go test ./...")).toContain("(cached)")
  },
  300_000,
)

const npmProject = {
  "package.json": JSON.stringify({
    ...{ name: "demo", version: "1.0.0", private: true, scripts: { test: "node --test" } },
    dependencies: { "is-odd": "3.0.1" },
  }),
  "odd.test.js":
    'const test = require("node:test")\nconst assert = require("node:assert")\ntest("odd", () => assert(require("is-odd")(3)))\n',
}

testWith(
  [...needs("npm"), { name: "the npm registry", isAvailable: isReachable }],
  "npm installs a project from the registry once, and then without a network",
  async () => {
    const cwd = await put("npm", npmProject)
    await build(cwd, "npm install", { network: ["registry.npmjs.org"] })
    await rm(join(cwd, "node_modules"), { recursive: true })
    expect(await build(cwd, "npm ci --offline && npm test")).toContain("pass 1")
  },
  300_000,
)

testWith(
  needs("cargo"),
  "sandbox-runtime builds a project of cargo as well",
  async () => {
    if (runtime === undefined) throw new Error("bubblewrap is not installed")
    const cwd = await put("runtime", {
      "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn passes() {}\n",
    })
    expect(await build(cwd, "cargo test --offline", { in: runtime })).toContain("1 passed")
  },
  300_000,
)

/** A home directory with uv where its own installer puts it; undefined if the registry of Python has none. */
const uvHome = ((): string | undefined => {
  const home = mkdtempSync(join(tmpdir(), "adjutant-uv-"))
  const install =
    'pip install --quiet --target "$0/package" uv && mkdir -p "$0/.local/bin" && cp "$0"/package/bin/uv* "$0/.local/bin"'
  try {
    execFileSync("/bin/bash", ["-c", install, home], { stdio: "ignore" })
    return realpathSync(home)
  } catch {
    return undefined
  }
})()
afterAll(() => uvHome !== undefined && rm(uvHome, { recursive: true, force: true }))

testWith(
  [bubblewrap, { name: "uv of the Python registry", isAvailable: uvHome !== undefined }],
  "uv, in the home directory, installs a project from the registry once, and then without a network, faster",
  async () => {
    const HOME = uvHome ?? root
    const PATH = [join(HOME, ".local", "bin"), process.env["PATH"]].join(delimiter)
    const own = await detectSandbox("auto", {
      view: {
        ...{ read: [], write: [], toolchains: true, dataDir: join(root, "uv") },
        env: { ...process.env, HOME, PATH, XDG_CACHE_HOME: join(root, "cache") },
      },
    })
    const cwd = await put("uv-project", {
      "pyproject.toml":
        '[project]\nname = "demo"\nversion = "0.1.0"\nrequires-python = ">=3.8"\ndependencies = ["six==1.17.0"]\n',
      "test_six.py":
        "import unittest\nimport six\n\nclass Six(unittest.TestCase):\n    def test_version(self):\n        self.assertEqual(six.__version__, '1.17.0')\n",
    })
    const { SSL_CERT_FILE = "" } = process.env
    const options = { in: own, env: { PATH, ...(SSL_CERT_FILE === "" ? {} : { SSL_CERT_FILE }) } }
    const test = "python -m unittest -q"
    await build(cwd, `uv sync --no-managed-python && uv run --offline ${test}`, { ...options, network: ["pypi.org"] })
    await rm(join(cwd, ".venv"), { recursive: true })
    expect(await build(cwd, `uv sync --offline && uv run --offline ${test}`, options)).toContain("OK")
    await own.close?.()
  },
  300_000,
)
