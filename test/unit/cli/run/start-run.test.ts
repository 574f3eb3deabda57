import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { loadHostConfig } from "../../../../cli/program/load-host-config.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { completed, failed, paused, stubEnvironment } from "../stub-environment.ts"
import type { StubOptions } from "../stub-environment.ts"

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-cli-"))
})

const manifest = () => path.join(cwd, ".adjutant", "session", "pause.json")

const run = async (argv: readonly string[], options: StubOptions = {}) => {
  const stub = stubEnvironment({ cwd, ...options })
  const exitCode = await runCli(argv, stub.environment)
  return { exitCode, ...stub }
}

const ending = (document: OutcomeDocument): StubOptions => ({ client: { wait: async () => document } })

describe("adjutant run", () => {
  it("starts with every allowed tool running and a text reply completing, unless --pause-on-approval", async () => {
    const plain = await run(["run", "-a", "do it"])
    expect(plain.argumentOf("start")).toMatchObject({
      prompt: "do it",
      cwd,
      auto_approve: true,
      pause_on_approval: false,
    })
    const careful = await run(["run", "do it", "--pause-on-approval"])
    expect(careful.argumentOf("start")).toMatchObject({ auto_approve: false, pause_on_approval: true })
  })

  it("passes every flag to the start", async () => {
    const { argumentOf } = await run(
      "run p --agent explore --model light -t Read -t Grep --max-steps 7 --timeout 1.5 --budget-usd 0.25 --budget-tokens 900 --sandbox --title T --label L".split(
        " ",
      ),
    )
    expect(argumentOf("start")).toMatchObject({
      agent: "explore",
      model: "light",
      allowed_tools: ["Read", "Grep"],
      max_steps: 7,
      timeout_seconds: 1.5,
      budget_usd: 0.25,
      budget_tokens: 900,
      sandbox: true,
      title: "T",
      label: "L",
      sessionId: "abc123",
    })
  })

  it.each([
    ["the default agent", []],
    ["a known agent", ["--agent", "explore"]],
    ["an agent that may be in the store", ["--agent", "of-the-store"]],
  ])("refuses an unknown model for %s before anything starts", async (_what, agent) => {
    await writeFile(path.join(cwd, "adjutant.config.yaml"), "profiles: { source: store }\n")
    const { environment, written } = stubEnvironment({ cwd, env: { ANTHROPIC_API_KEY: "k" } })
    const openTasks: typeof environment.openTasks = async (context, options) => {
      await options.check?.(await loadHostConfig(context, { isReading: true }))
      throw new Error("started")
    }
    const place = ["--data-dir", path.join(cwd, "data")]
    const start = (...flags: readonly string[]) =>
      runCli(["run", "p", ...place, ...agent, ...flags], { ...environment, openTasks })
    expect(await start("--model", "nope")).toBe(2)
    expect(written.stderr).toMatch(/^adjutant: there is no model nope;/)
    await start("--model", "light")
    expect(written.stderr).toContain("internal error: started")
  })

  it("brings the service what it needs before it starts the session, and starts no worker", async () => {
    const { names, calls } = await run(["run", "p"])
    expect(calls.find(({ name }) => name === "handOver")?.args).toEqual([null, "follow"])
    expect(names().indexOf("handOver")).toBeLessThan(names().indexOf("start"))
    expect(names()).not.toContain("openHost")
    expect(names().at(-1)).toBe("close")
  })

  it.each([
    [completed, 0],
    [failed, 1],
    [paused, 10],
  ] as const)("prints exactly one JSON document for %o", async (document, exitCode) => {
    const { written, exitCode: actual } = await run(["run", "p", "--output", "json"], ending(document))
    expect(JSON.parse(written.stdout)).toEqual(document)
    expect(actual).toBe(exitCode)
    expect(written.stderr).toBe("")
  })

  it("prints only the final message in text mode", async () => {
    expect((await run(["run", "p"])).written.stdout).toBe("All done.\n")
  })

  it("prints pending calls with their arguments and how to continue in text mode", async () => {
    const { written } = await run(["run", "p"], ending(paused))
    expect(written.stdout).toContain("Write a.md  (call_1)")
    expect(written.stdout).toContain("file_path: a.md")
    expect(written.stdout).toContain("adjutant run -c cp_one --approve call_1")
  })

  it("prints partial output to stdout and the reason to stderr if the run fails", async () => {
    const { written } = await run(["run", "p"], ending(failed))
    expect(written.stdout).toBe("half of it\n")
    expect(written.stderr).toContain("reached its step limit: the run reached 3 steps")
  })

  it("stores the pause manifest readable only by its owner and ignored by git", async () => {
    await run(["run", "p"], ending(paused))
    expect(JSON.parse(await readFile(manifest(), "utf8"))).toEqual(paused)
    expect((await stat(manifest())).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(manifest()))).mode & 0o777).toBe(0o700)
    expect(await readFile(path.join(cwd, ".adjutant", ".gitignore"), "utf8")).toBe("*\n")
  })

  it.each([[[]], [["--detach"]]])("keeps the manifest of another task, whose pause lasts, with %j", async (flags) => {
    await run(["run", "p"], ending(paused))
    await run(["run", "p", ...flags])
    expect(JSON.parse(await readFile(manifest(), "utf8"))).toEqual(paused)
  })

  it("still exits with code 10 if the manifest cannot be written", async () => {
    await writeFile(path.join(cwd, ".adjutant"), "a file in the way")
    const { exitCode, written } = await run(["run", "p"], ending(paused))
    expect(exitCode).toBe(10)
    expect(written.stderr).toContain("pause manifest")
  })

  it.each([".adjutant", ".adjutant/session"])("writes no manifest through a link at %s", async (link) => {
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), "adjutant-elsewhere-"))
    onTestFinished(() => rm(elsewhere, { recursive: true }))
    const target = path.join(elsewhere, path.relative(link, ".adjutant/session/pause.json"))
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, "theirs")
    await mkdir(path.dirname(path.join(cwd, link)), { recursive: true })
    await symlink(elsewhere, path.join(cwd, link))
    const { exitCode, written } = await run(["run", "p"], ending(paused))
    expect(exitCode).toBe(10)
    expect(written.stderr).toContain("leads to another place through a link")
    expect(await readFile(target, "utf8")).toBe("theirs")
  })

  it("reads the prompt from stdin or a file", async () => {
    await writeFile(path.join(cwd, "p.txt"), "from the file")
    expect((await run(["run", "-"], { stdin: "from stdin" })).argumentOf("start")).toMatchObject({
      prompt: "from stdin",
    })
    expect((await run(["run", "--prompt-file", "p.txt"])).argumentOf("start")).toMatchObject({
      prompt: "from the file",
    })
  })

  it.each([
    [["run"], "prompt"],
    [["run", ""], "empty"],
    [["run", "-"], "empty"],
    [["run", "p", "--prompt-file", "p.txt"], "--prompt-file"],
    [["run", "--prompt-file", "missing.txt"], "--prompt-file missing.txt"],
    [["run", "p", "-t", ""], "--tool"],
    [["run", "p", "--max-steps", "0"], "--max-steps"],
    [["run", "p", "--max-steps", "257"], "--max-steps"],
    [["run", "p", "--timeout", "-1"], "--timeout"],
    [["run", "p", "--budget-usd", "free"], "--budget-usd"],
    [["run", "p", "--cwd", "nowhere"], "--cwd nowhere"],
    [["run", "p", "--output", "xml"], "--output"],
    [["run", "p", "--approve", "x"], "--approve"],
    [["run", "p", "--wach"], "--watch"],
    [["rum", "p"], "run"],
    [["run", "-c", "cp_one", "--approve", "a", "--reject", "a"], '"a"'],
    [["run", "-c", "cp_one", "--approve-all", "--reject-all"], "--reject-all"],
    [["run", "-c", "cp_one", "--approve", "a", "continue"], "exclude"],
    [["run", "-c", "cp_one", "--approve", "a", "--max-steps", "3"], "--max-steps"],
    [["run", "-c", "cp_one", "text", "--sandbox"], "--sandbox"],
  ] as const)(
    "rejects %j with exit code 2 and one line that names the mistake, before anything starts",
    async (argv, named) => {
      const { exitCode, written, names } = await run(argv)
      expect(exitCode).toBe(2)
      expect(written.stderr).toContain(named)
      expect(written.stderr.trimEnd().split("\n")).toHaveLength(1)
      expect(written.stdout).toBe("")
      expect(names()).toEqual([])
    },
  )

  it("starts nothing with --detach if no service can start", async () => {
    const { exitCode, names, written } = await run(["run", "p", "--detach"], {
      handOverError: new AdjutantError("service_unavailable", "the service did not start: read service.log"),
    })
    expect(exitCode).toBe(2)
    expect(names()).not.toContain("start")
    expect(written.stderr).toBe("adjutant: the service did not start: read service.log\n")
  })

  it("prints with --detach a command that finds the task again, also in another data directory", async () => {
    const { written } = await run(["run", "work", "--detach", "--data-dir", "/elsewhere"])
    expect(written.stdout).toContain("`adjutant wait abc123 --data-dir /elsewhere`")
  })

  it("prints what it started with --detach and does not wait for it", async () => {
    const { exitCode, names, written } = await run(["run", "p", "--detach", "--output", "json"])
    expect(exitCode).toBe(0)
    expect(names()).not.toContain("wait")
    expect(names().filter((name) => ["handOver", "start"].includes(name))).toEqual(["handOver", "start"])
    expect(JSON.parse(written.stdout)).toEqual({
      outcome: "started",
      task_id: "abc123",
      session_id: "abc123",
      run_id: "run_1",
    })
  })
})
