import { execFile } from "node:child_process"
import { chown, mkdir } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"

/** The user as whom tests run. */
export interface TestUser {
  readonly name: "root" | "a normal user"
  /** Precedes a command that runs as this user. */
  readonly prefix: readonly string[]
  /** Returns the environment of its tests. `folder` is theirs alone. */
  prepare(folder: string): Promise<NodeJS.ProcessEnv>
}

const isRoot = process.getuid?.() === 0

export const thisUser: TestUser = {
  name: isRoot ? "root" : "a normal user",
  prefix: [],
  prepare: async () => process.env,
}

const run = promisify(execFile)

const idOf = async (flag: "-u" | "-g"): Promise<number> => Number((await run("id", [flag, "nobody"])).stdout)

/** Variables that belong to root, or name folders into which only root can write. */
const ownVariables = ["HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NODE_COMPILE_CACHE"]

/** Returns the user `nobody` where this process is root and that user can read the checkout; otherwise the reason why not. */
export const findNormalUser = async (): Promise<TestUser | { readonly reason: string }> => {
  if (!isRoot) return { reason: "this is one" }
  try {
    const [uid, gid] = [await idOf("-u"), await idOf("-g")]
    const prefix = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--"]
    const [program, ...args] = [...prefix, "test", "-r", path.resolve("node_modules/vitest/package.json")]
    await run(program, args)
    return {
      name: "a normal user",
      prefix,
      async prepare(folder) {
        const own = { HOME: path.join(folder, "home"), TMPDIR: path.join(folder, "tmp") }
        for (const each of Object.values(own)) await mkdir(each)
        for (const each of [folder, ...Object.values(own)]) await chown(each, uid, gid)
        const others = Object.entries(process.env).filter(([name]) => !ownVariables.includes(name))
        return {
          ...Object.fromEntries(others),
          ...own,
          USER: "nobody",
          ADJUTANT_TEST_CACHE: path.join(folder, "cache"),
        }
      },
    }
  } catch (error) {
    return { reason: `nobody cannot run them here: ${error instanceof Error ? error.message.split("\n")[0] : ""}` }
  }
}
