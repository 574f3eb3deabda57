import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { userCache } from "../../scripts/checks/user-cache.ts"

/** Writes shell scripts into a folder, as programs with the given names. */
export const writePrograms = (folder: string, scripts: Readonly<Record<string, string>>): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }
}

/** Gives a bare machine this machine's workflow bundles, for tests that are about something else. */
export const shareBundles = (home: string): void => {
  const own = join(userCache(process.env), "workflow-bundles")
  mkdirSync(own, { recursive: true })
  mkdirSync(join(home, "cache", "adjutant"), { recursive: true })
  symlinkSync(own, join(home, "cache", "adjutant", "workflow-bundles"))
}

/**
 * Returns the environment of a machine that has Node and the programs of one folder: its cache is empty, and
 * downloads go through a proxy that refuses them.
 */
export const createBareEnvironment = (home: string, programs: string): NodeJS.ProcessEnv => ({
  PATH: [programs, "/bin", "/usr/bin"].join(delimiter),
  HOME: home,
  XDG_CACHE_HOME: join(home, "cache"),
  // Compiled code makes no difference to these tests and saves seconds.
  NODE_COMPILE_CACHE: join(userCache(process.env), "compile"),
  TEMPORAL_CONFIG_FILE: join(home, "none.toml"),
  HTTPS_PROXY: "http://127.0.0.1:1",
  ADJUTANT_SERVER_LINGER_MS: "0",
})
