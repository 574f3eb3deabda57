import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { stringify } from "yaml"
import { writeFile } from "node:fs/promises"
import { onTestFinished } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory, type Started } from "../cli/program.ts"
import { addressOf } from "../cli/remote-project.ts"

export type Turns = readonly object[]

export const call = (name: string, args: object) => ({ reply: { tool_calls: [{ name, arguments: args }] } })
export const write = (content = "deployed\n") => call("Write", { file_path: "out.txt", content })
export const finish = (result: string) => call("finish", { result })

/** A project with people, whose server runs as a process of its own. */
export interface Story {
  readonly project: ProjectDirectory
  readonly server: Started
  readonly url: string
  /** Starts a task that pauses where approval is needed, and returns its id. */
  begin(): Promise<string>
  status(id: string): Promise<string>
  written(): Promise<string | undefined>
  /** Returns the audit rows about a task, the first one first, as the command prints them. */
  audit(id: string): Promise<readonly AuditRow[]>
  /** Prints what happened, for people who read the test's output. */
  tell(title: string, lines: readonly unknown[]): void
}

export interface AuditRow {
  readonly action: string
  readonly by: string
  readonly via: string
  readonly detail: Readonly<Record<string, unknown>>
}

const isTold = process.env["ADJUTANT_TEST_STORIES"] === "true"

const storyTiming = JSON.stringify({ deliveryInitialMs: 50, deliveryMaxMs: 500 })

export const openStory = async (
  turns: Turns,
  config: object,
  env: Readonly<Record<string, string>>,
): Promise<Story> => {
  const project = await createProject(
    { main: { turns } },
    { ADJUTANT_TRUST: "1", ADJUTANT_TEST_TIMING: storyTiming, ...env },
  )
  onTestFinished(() => project.remove())
  const whole = {
    models: { main: { provider: "scripted", script: "main.yaml" } },
    timing: { modelAttempts: 1, providerPauseSeconds: 0 },
    security: { sandbox: "off" },
    ...config,
  }
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify(whole))
  const server = project.start("dev", "--port", "0")
  const url = await addressOf(server)
  const json = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await project.run(...argv, "--output", "json")
    if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const tell: Story["tell"] = (title, lines) => {
    if (isTold) console.log(`${title}\n${lines.map((line) => `  ${JSON.stringify(line)}`).join("\n")}`)
  }
  return {
    project,
    server,
    url,
    begin: async () => {
      const { task_id: id } = await json("run", "--pause-on-approval", "--detach", "Deploy it.")
      return id
    },
    status: async (id) => (await json("info", id)).status,
    written: () => readFile(path.join(project.cwd, "out.txt"), "utf8").catch(() => undefined),
    audit: async (id) => {
      const { items } = await json("audit", id)
      tell("audit", items.toReversed())
      return items.toReversed()
    },
    tell,
  }
}

/** Returns the processes that were started with this text in their arguments or their environment. */
export const processesWith = async (text: string): Promise<readonly number[]> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const files = ["cmdline", "environ"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => ""))
      return { pid, start: (await Promise.all(files)).join(" ") }
    }),
  )
  return found.filter(({ pid, start }) => pid !== process.pid && start.includes(text)).map(({ pid }) => pid)
}

export const untilStatus = (story: Story, id: string, status: string): Promise<void> =>
  eventually(async () => (await story.status(id)) === status, { timeoutMs: 120_000 })
