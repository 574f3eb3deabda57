import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"

/** Puts shell scripts into a folder, as programs of their names. */
export const putPrograms = (folder: string, scripts: Readonly<Record<string, string>>): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }
}

const ownCache = (): string => join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "adjutant")

/** Lets a bare machine have the workflow bundles of this one: for tests that are about something else. */
export const shareBundles = (home: string): void => {
  const own = join(ownCache(), "workflow-bundles")
  mkdirSync(own, { recursive: true })
  mkdirSync(join(home, "cache", "adjutant"), { recursive: true })
  symlinkSync(own, join(home, "cache", "adjutant", "workflow-bundles"))
}

/**
 * The environment of a machine that has Node and the programs of one folder: nothing is in its cache, and a download goes through a proxy that
 * refuses.
 */
export const bareMachine = (home: string, programs: string): NodeJS.ProcessEnv => ({
  PATH: [programs, "/bin", "/usr/bin"].join(delimiter),
  HOME: home,
  XDG_CACHE_HOME: join(home, "cache"),
  // Compiled code is of no matter to these tests, and saves them seconds.
  NODE_COMPILE_CACHE: join(ownCache(), "compile"),
  TEMPORAL_CONFIG_FILE: join(home, "none.toml"),
  HTTPS_PROXY: "http://127.0.0.1:1",
  ADJUTANT_SERVER_LINGER_MS: "0",
})
