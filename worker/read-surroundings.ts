import { mkdtemp, realpath, rm } from "node:fs/promises"
import { machine, release, tmpdir, type } from "node:os"
import { dirname, join } from "node:path"
import type { AgentDependencies } from "../activities/index.ts"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { type CommandTools, type Surroundings, usualPrograms } from "../domain/prompts/surroundings.ts"
import { sandboxModeOf } from "../domain/approval/process-sandbox.ts"
import { isAllowedTool } from "../domain/tools/tool-names.ts"
import { toolDirectory } from "../domain/workspace/tool-directory.ts"
import type { Sandbox } from "../tools/sandbox/sandbox.ts"
import { runGit } from "../tools/worktree/git.ts"
import { missingPaths } from "../tools/worktree/missing-paths.ts"

interface Place extends Pick<AgentDependencies, "sandboxFor" | "toolEnv"> {
  /** Hosts that confined commands can reach. */
  readonly allowedDomains: readonly string[]
  /** Default: the clock of the machine. */
  readonly now?: () => Date
}

const question = `uname -srm; echo "$BASH_VERSION"; for name in ${usualPrograms.join(" ")}; do command -v "$name" >/dev/null 2>&1 && echo "$name"; done; true`
const questionTimeoutMs = 10_000
const answerLine = /^[\w .()+-]{1,100}$/

/** Asks the shell in a sandbox what commands find there. Returns nothing if it does not answer. */
const askShell = async (sandbox: Sandbox, env: Readonly<Record<string, string>>): Promise<CommandTools | undefined> => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-surroundings-")))
  try {
    const { exitCode, output } = await sandbox.run({
      command: question,
      ...{ cwd, env, outputFile: join(cwd, "output.txt"), ownerId: "surroundings" },
      ...{ timeoutMs: questionTimeoutMs, maxOutputBytes: 10_000, signal: new AbortController().signal },
    })
    const lines = output.trim().split("\n")
    const [platform, shell, ...programs] = lines
    if (exitCode !== 0 || platform === undefined || shell === undefined) return undefined
    return lines.every((line) => answerLine.test(line)) ? { platform, shell, programs } : undefined
  } catch {
    return undefined
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

/** Returns the branch of a directory, null for a commit without one, undefined outside of a repository. */
const branchOf = async ({ cwd, worktree }: RunSnapshot): Promise<string | null | undefined> => {
  // Git commands fail in a worktree of Adjutant.
  if (worktree !== undefined) return undefined
  try {
    const { code, stdout } = await runGit({ args: ["symbolic-ref", "--quiet", "--short", "HEAD"], cwd })
    if (code === 0) return stdout.toString("utf8").trim()
    return code === 1 ? null : undefined
  } catch {
    return undefined
  }
}

const localDate = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-")

/** Creates a function that reads the facts about the place of a run on this worker. Each sandbox is asked once for what is in it. */
export const createReadSurroundings = ({
  sandboxFor,
  toolEnv,
  allowedDomains,
  now = () => new Date(),
}: Place): AgentDependencies["readSurroundings"] => {
  const asked = new WeakMap<Sandbox, Map<string, Promise<CommandTools | undefined>>>()
  const toolsIn = (sandbox: Sandbox, env: Readonly<Record<string, string>>): Promise<CommandTools | undefined> => {
    const known = asked.get(sandbox) ?? new Map<string, Promise<CommandTools | undefined>>()
    asked.set(sandbox, known)
    const key = JSON.stringify(env)
    const before = known.get(key)
    if (before !== undefined) return before
    const tools = askShell(sandbox, env)
    known.set(key, tools)
    void tools.then((found) => (found === undefined ? known.delete(key) : undefined))
    return tools
  }
  const commandsOf = async (snapshot: RunSnapshot): Promise<Surroundings["commands"]> => {
    if (!isAllowedTool(snapshot, "Bash")) return undefined
    const sandbox = await sandboxFor(sandboxModeOf("Bash", snapshot), snapshot.timing.killGraceMs)
    if (snapshot.sandbox === "require" && !sandbox.confined) return undefined
    const reach = {
      isConfined: sandbox.confined,
      hosts: allowedDomains,
      hasScratchOnly: snapshot.taskSandbox === true,
    }
    const { view } = sandbox
    const seen =
      view === undefined
        ? {}
        : {
            toolchains: [...new Set(view.toolchains.map(({ path }) => dirname(path)))].toSorted(),
            read: view.readOnly.filter((path) => !view.toolchains.some((each) => each.path === path)),
            write: view.writable,
          }
    const tools = await toolsIn(sandbox, toolEnv(snapshot.envAllow))
    return { ...reach, ...seen, ...(tools === undefined ? {} : { tools }) }
  }
  return async (snapshot) => {
    const { worktree } = snapshot
    const [branch, commands, missing] = await Promise.all([
      branchOf(snapshot),
      commandsOf(snapshot),
      worktree === undefined ? [] : missingPaths(worktree.source),
    ])
    return {
      date: localDate(now()),
      platform: `${type()} ${release()} ${machine()}`,
      directory: toolDirectory(snapshot),
      ...(branch === undefined ? {} : { branch }),
      ...(missing.length === 0 ? {} : { missing }),
      ...(commands === undefined ? {} : { commands }),
    }
  }
}
