import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bash } from "../../../tools/bash.ts"
import { read } from "../../../tools/files/read.ts"
import type { SandboxCommand } from "../../../tools/sandbox/sandbox.ts"
import { call, createWorkspace } from "./workspace.ts"
import { untilPasses } from "../../helpers/eventually.ts"

test("returns the output unchanged; adds the exit code to a failure, which is an error", async () => {
  const { context } = createWorkspace()
  expect(await call(bash, { command: "printf 'a\\n\\033[31mred\\033[0m\\n'" }, context)).toEqual({ content: "a\nred" })
  expect(await call(bash, { command: "true" }, context)).toEqual({ content: "(no output)" })
  expect(await call(bash, { command: "echo why; exit 2" }, context)).toEqual({
    content: "why\n\nExit code 2",
    isError: true,
  })
})

test("a command that exceeds its time limit is reported, with its output", async () => {
  const { context } = createWorkspace()
  const result = await call(bash, { command: "echo begun; sleep 300", timeout_ms: 300 }, context)
  expect(result).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^begun\n\nThe command ran longer than 300 ms/),
  })
})

test("the output of a command is passed on while it runs, and no longer than that", async () => {
  const seen: string[] = []
  const watcher = { add: (chunk: Buffer) => void seen.push(chunk.toString()), stop: () => void seen.push("stopped") }
  const { context } = createWorkspace({ output: watcher })
  // The command ends when its output was seen.
  const running = call(bash, { command: "echo begun; while [ ! -e seen ]; do sleep 0.05; done" }, context)
  await untilPasses(async () => expect(seen).toEqual(["begun\n"]))
  writeFileSync(join(context.cwd, "seen"), "")
  expect(await running).toEqual({ content: "begun" })
  expect(seen.at(-1)).toBe("stopped")
})

test("long output comes with the path of a file that Read can read", async () => {
  const { context } = createWorkspace()
  const { content } = await call(bash, { command: "seq 1 20000" }, context)
  expect(content.length).toBeLessThan(31_000)
  const file = /whole output is in (\S+):/.exec(content)?.[1] ?? ""
  expect((await call(read, { file_path: file, offset: 10_000, limit: 1 }, context)).content).toContain(" 10000\t10000")
})

test("a background command returns its process id and an output file, and ends with its session", async () => {
  const { context } = createWorkspace()
  const { content } = await call(bash, { command: "echo listening; sleep 300", run_in_background: true }, context)
  const [, pid = "0", file = ""] = /process id (\d+).* goes to (\S+):/.exec(content) ?? []
  await untilPasses(async () => expect((await call(read, { file_path: file }, context)).content).toContain("listening"))
  await context.sandbox.stopBackground(context.sessionId)
  expect(() => process.kill(Number(pid), 0)).toThrow()
  expect(readFileSync(file, "utf8")).toContain("[ended by")
})

test("an aborted command is stopped before the call rejects with the signal's reason", async () => {
  const controller = new AbortController()
  const { context, cwd } = createWorkspace({ signal: controller.signal })
  const running = call(bash, { command: "echo $$ > pid; sleep 300" }, context)
  const pid = await untilPasses(() => {
    const text = readFileSync(join(cwd, "pid"), "utf8")
    expect(text).not.toBe("")
    return Number(text)
  })
  controller.abort(new Error("cancelled"))
  await expect(running).rejects.toThrow("cancelled")
  expect(() => process.kill(pid, 0)).toThrow()
})

test("the sandbox receives the session's limits: directory, environment, owner and what to hide", async () => {
  const workspace = createWorkspace()
  const commands: SandboxCommand[] = []
  const result = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    aborted: false,
    output: "",
    outputBytes: 0,
    truncated: false,
  }
  const context = {
    ...workspace.context,
    dataDir: join(workspace.cwd, "state"),
    sandbox: {
      kind: "bubblewrap" as const,
      confined: true,
      run: async (command: SandboxCommand) => (commands.push(command), result),
      runProgram: () => Promise.reject(new Error("Bash runs no program by itself")),
      stopBackground: async () => {},
    },
  }
  await call(bash, { command: "x" }, context)
  await call(bash, { command: "x", timeout_ms: 600_000 }, context)
  await call(bash, { command: "x", timeout_ms: 600_001 }, context)
  const bashTimeouts = { defaultMs: 5, maxMs: 10 }
  await call(bash, { command: "x" }, { ...context, bashTimeouts })
  await call(bash, { command: "x", timeout_ms: 600_000 }, { ...context, bashTimeouts })
  expect(commands[0]).toMatchObject({
    command: "x",
    cwd: workspace.cwd,
    env: context.env,
    timeoutMs: 120_000,
    ownerId: context.sessionId,
    hiddenDirs: [join(workspace.cwd, ".adjutant"), join(workspace.cwd, "state")],
  })
  expect(commands.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000, 600_000, 600_000, 5, 10])
})
