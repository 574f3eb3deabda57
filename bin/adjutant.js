#!/usr/bin/env node
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import module, { createRequire } from "node:module"
import os from "node:os"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

// Any Node that the machine has must be able to parse this file: plain JavaScript without newer syntax.

const requiredMajor = 24
const launcher = fileURLToPath(import.meta.url)
const root = path.dirname(path.dirname(launcher))

const majorOf = (version) => Number(version.split(".")[0])

const fail = (message) => {
  process.stderr.write(`adjutant: ${message}\n`)
  process.exit(2)
}

/** Returns the binary of the npm package `node`, if one that is new enough is installed next to Adjutant. */
const findInstalledNode = () => {
  try {
    const manifestPath = createRequire(import.meta.url).resolve("node/package.json")
    if (majorOf(JSON.parse(readFileSync(manifestPath, "utf8")).version) < requiredMajor) return undefined
    const binary = path.join(path.dirname(manifestPath), "bin", process.platform === "win32" ? "node.exe" : "node")
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

/** Runs this launcher again under `binary`, and ends with its exit code or signal. */
const runUnder = (binary) => {
  const child = spawn(binary, [...process.execArgv, launcher, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR2", "SIGINT", "SIGQUIT"]) {
    // A terminal sends its interrupts to the child as well; forwarding them would deliver them twice.
    const fromTerminal = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT")
    process.on(signal, () => fromTerminal || child.kill(signal))
  }
  child.on("error", (error) => fail(`cannot start ${binary}: ${error.message}`))
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Returns the folder that domain/workspace/cache-folder.ts names; undefined for a home directory that is missing: nothing is to create it. */
const cacheFolder = () => {
  if (process.env.XDG_CACHE_HOME) return path.join(process.env.XDG_CACHE_HOME, "adjutant")
  const home = process.env.HOME || os.homedir()
  return existsSync(home) ? path.join(home, ".cache", "adjutant") : undefined
}

/** Keeps compiled code between starts. Without a writable cache, starts are slower. */
const keepCompiledCode = () => {
  if (process.env.NODE_COMPILE_CACHE) return
  try {
    const folder = cacheFolder()
    if (folder !== undefined) module.enableCompileCache(path.join(folder, "compile"))
  } catch {
    // os.homedir() throws if the user has no home directory.
  }
}

const entry = ["cli/main.ts", "dist/cli/main.js"].map((file) => path.join(root, file)).find((file) => existsSync(file))

if (majorOf(process.versions.node) >= requiredMajor) {
  if (entry === undefined) fail(`nothing to run in ${root}: run \`npm run build\` there, or install the package again`)
  keepCompiledCode()
  await import(pathToFileURL(entry).href)
} else {
  const binary = findInstalledNode()
  if (binary === undefined) {
    fail(
      `Node.js ${requiredMajor} or later is required, and this is ${process.versions.node}; install it from https://nodejs.org, or next to adjutant: \`npm install node@${requiredMajor}\` in its project, \`npm install --global node@${requiredMajor}\` for a global adjutant`,
    )
  }
  runUnder(binary)
}
