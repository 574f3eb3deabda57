import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import type { AgentTask } from "./agent-task.ts"

/** Dates and names are the same each time, and so are the hashes of commits. */
const identity = {
  ...{ GIT_AUTHOR_NAME: "Mia", GIT_AUTHOR_EMAIL: "mia@example.org", GIT_AUTHOR_DATE: "2026-11-01T12:00:00Z" },
  ...{ GIT_COMMITTER_NAME: "Mia", GIT_COMMITTER_EMAIL: "mia@example.org", GIT_COMMITTER_DATE: "2026-11-01T12:00:00Z" },
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_EDITOR: "true" },
}

const timeoutMs = 120_000

interface Ended {
  readonly isOk: boolean
  readonly output: string
}

const put = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** The repository of a task, in a folder of its own. */
export interface TaskRepository extends AsyncDisposable {
  readonly cwd: string
  /** Runs a script in the repository. */
  run(script: string): Promise<Ended>
  /** Checks the task in a copy: what the agent has not seen never comes into its repository. */
  isSolved(): Promise<Ended>
}

const runIn = (cwd: string, script: string, tmp: string): Promise<Ended> =>
  new Promise((resolve) => {
    const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
    const options = { cwd, env: { ...env, ...identity, PATH: path, TMPDIR: tmp }, timeout: timeoutMs }
    execFile("/bin/bash", ["-c", script], options, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: `${stdout}${stderr}` }),
    )
  })

/** Makes the repository of a task. */
export const createTaskRepository = async (task: AgentTask): Promise<TaskRepository> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `adjutant-${task.name}-`)))
  const cwd = join(folder, "repository")
  const tmp = join(folder, "tmp")
  await Promise.all([mkdir(cwd), mkdir(tmp)])
  await put(cwd, task.files)
  const run = (script: string) => runIn(cwd, script, tmp)
  const made = await run(`set -e; git init -q -b main; git add -A; git commit -qm "begin"; ${task.setUp ?? ""}`)
  if (!made.isOk) throw new Error(`the repository of ${task.name} could not be made: ${made.output}`)
  return {
    cwd,
    run,
    async isSolved() {
      const copy = join(folder, "checked")
      await rm(copy, { recursive: true, force: true })
      await cp(cwd, copy, { recursive: true })
      await put(copy, task.hidden ?? {})
      return runIn(copy, task.verify, tmp)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
