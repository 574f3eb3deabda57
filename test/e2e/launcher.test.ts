import { type SpawnOptions, spawn } from "node:child_process"
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"

const root = path.resolve(import.meta.dirname, "../..")

let home: string

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-launcher-")))
  await mkdir(path.join(home, "bin"))
  await cp(path.join(root, "bin/adjutant.js"), path.join(home, "bin/adjutant.js"))
  await writeFile(
    path.join(home, "package.json"),
    JSON.stringify({ name: "adjutant", version: "0.0.0", type: "module", bin: "bin/adjutant.js" }),
  )
})

afterEach(async () => {
  await rm(home, { recursive: true, force: true })
})

const writeMain = async (file: "cli/main.ts" | "dist/cli/main.js", code: string) => {
  await mkdir(path.dirname(path.join(home, file)), { recursive: true })
  await writeFile(path.join(home, file), code)
}

const start = (command: string, args: readonly string[], options: SpawnOptions = {}) => {
  const environment = { ...process.env, XDG_CACHE_HOME: path.join(home, "cache"), NODE_COMPILE_CACHE: undefined }
  const child = spawn(command, args, { cwd: home, env: environment, ...options, stdio: "pipe" })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (output.stderr += String(chunk)))
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }))
  })
  const printed = async (text: string) => {
    while (!output.stdout.includes(text)) await new Promise((resolve) => child.stdout.once("data", resolve))
  }
  return { child, output, ended, printed }
}

const launch = (...args: string[]) => start(process.execPath, ["bin/adjutant.js", ...args])

/**
 * Makes `process.versions.node` return 20 in the launcher (only there: the Node that it starts has no such
 * flag), and puts a package `node` next to it whose binary is the real one.
 */
const launchUnderOldNode = async (installed: "beside" | "missing" | "too old", ...args: string[]) => {
  const preload = path.join(home, "old-node.cjs")
  await writeFile(
    preload,
    `if (!process.env.NEW_NODE) Object.defineProperty(process.versions, "node", { value: "20.20.2" })`,
  )
  if (installed !== "missing") {
    const folder = path.join(home, "node_modules/node")
    await mkdir(path.join(folder, "bin"), { recursive: true })
    await writeFile(
      path.join(folder, "package.json"),
      JSON.stringify({ name: "node", version: installed === "beside" ? "24.21.0" : "22.1.0" }),
    )
    const binary = path.join(folder, "bin/node")
    await writeFile(binary, `#!/bin/sh\nNEW_NODE=1 exec "${process.execPath}" "$@"\n`)
    await chmod(binary, 0o755)
  }
  return start(process.execPath, ["--require", preload, "bin/adjutant.js", ...args])
}

const printArguments = "console.log(JSON.stringify(process.argv.slice(2)))\n"

test("a checkout runs its sources, unbuilt and without a warning", async () => {
  await writeMain("cli/main.ts", `const words: string[] = process.argv.slice(2)\nconsole.log(words.join("+"))\n`)
  await writeMain("dist/cli/main.js", `console.log("built")\n`)
  const { ended, output } = launch("a", "--b", "c d")
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(output).toEqual({ stdout: "a+--b+c d\n", stderr: "" })
})

test("the published package runs what was built", async () => {
  await writeMain("dist/cli/main.js", printArguments)
  const { ended, output } = launch("run", "")
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(output.stdout).toBe('["run",""]\n')
})

test("a folder with neither says so and exits with code 2", async () => {
  const { ended, output } = launch()
  expect(await ended).toEqual({ code: 2, signal: null })
  expect(output.stderr).toContain("npm run build")
})

test.each([0, 1, 2, 10, 130])("exit code %i passes through, even under an old Node", async (code) => {
  await writeMain("cli/main.ts", `process.exitCode = ${code}\n`)
  expect(await launch().ended).toEqual({ code, signal: null })
  expect(await (await launchUnderOldNode("beside")).ended).toEqual({ code, signal: null })
})

test("under an old Node the installed package `node` runs the program, with arguments and streams", async () => {
  await writeMain(
    "cli/main.ts",
    `process.stdin.on("data", (chunk: Buffer) => console.log(process.argv.slice(2), chunk.toString()))\n`,
  )
  const { child, ended, output } = await launchUnderOldNode("beside", "x", "--y=z")
  child.stdin.end("typed")
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(output.stdout).toBe("[ 'x', '--y=z' ] typed\n")
})

test.each(["missing", "too old"] as const)(
  "under an old Node with the package %s one sentence says what to install",
  async (installed) => {
    await writeMain("cli/main.ts", printArguments)
    const { ended, output } = await launchUnderOldNode(installed)
    expect(await ended).toEqual({ code: 2, signal: null })
    expect(output.stdout).toBe("")
    expect(output.stderr).toMatch(/^adjutant: Node\.js 24 or later is required, and this is 20\.20\.2; .*node@24.*\n$/)
  },
)

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s reaches the program, which decides the exit code",
  async (signal) => {
    await writeMain(
      "cli/main.ts",
      `process.once("${signal}", () => process.exit(42))\nsetInterval(() => {}, 1000)\nconsole.log("ready")\n`,
    )
    const { child, ended, printed } = await launchUnderOldNode("beside")
    await printed("ready")
    child.kill(signal)
    expect(await ended).toEqual({ code: 42, signal: null })
  },
)

test("if a signal ended the program, the same signal ends the launcher", async () => {
  await writeMain("cli/main.ts", `process.kill(process.pid, "SIGTERM")\nsetInterval(() => {}, 1000)\n`)
  expect(await (await launchUnderOldNode("beside")).ended).toEqual({ code: null, signal: "SIGTERM" })
})

test("`npx adjutant` runs the checkout's own program with its exit code and working directory", async () => {
  await writeMain("cli/main.ts", `console.log(process.cwd(), process.argv.slice(2).join(" "))\nprocess.exitCode = 10\n`)
  await chmod(path.join(home, "bin/adjutant.js"), 0o755)
  await symlink(path.join(root, "node_modules"), path.join(home, "node_modules"))
  const environment = {
    ...process.env,
    CI: "true",
    npm_config_cache: path.join(home, "npm"),
    npm_config_offline: "true",
  }
  const { ended, output } = start("npx", ["adjutant", "run", "-c", "abc", "--approve-all"], { env: environment })
  expect(await ended).toEqual({ code: 10, signal: null })
  expect(output.stdout).toBe(`${home} run -c abc --approve-all\n`)
})
