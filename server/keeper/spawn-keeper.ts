import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { KeeperOptions } from "./keeper-options.ts"
import { openLog } from "../process/append-log.ts"
import { serverFiles } from "../process/server-files.ts"
import { temporalEnvironment } from "../process/temporal-process.ts"

/** Starts a keeper that outlives this process. Resolves when it ends: true if it succeeded. */
export const spawnKeeper = (options: KeeperOptions, env: NodeJS.ProcessEnv): Promise<boolean> => {
  const log = openLog(serverFiles(options.dataDir).log)
  try {
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", keeperPath(), JSON.stringify(options)],
      {
        detached: true,
        cwd: "/",
        stdio: ["ignore", log, log],
        env: temporalEnvironment(env),
      },
    )
    child.unref()
    return new Promise((resolve) => {
      child.once("error", () => resolve(false))
      child.once("exit", (code) => resolve(code === 0))
    })
  } finally {
    closeSync(log)
  }
}

// The keeper has the extension of this module: .ts in the sources, .js in the build.
const keeperPath = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./keeper${extension}`, import.meta.url))
}
