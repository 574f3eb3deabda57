import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Sandbox, SandboxProgram } from "../../../../../tools/sandbox/sandbox.ts"
import { createUnconfined } from "../../../../../tools/sandbox/unconfined.ts"
import { testWith } from "../../../../helpers/needs.ts"
import { createWorkspace } from "../../workspace.ts"
import { backendsUnderTest } from "../backends.ts"
import { runUntilTimeIsUp, testLimits } from "../command.ts"
import { isAlive, pidIn } from "../../../../helpers/processes.ts"

const unconfined = createUnconfined("a test", testLimits)
const backends = await backendsUnderTest()

const createProgram = (script: string, overrides: Partial<SandboxProgram> = {}) => {
  const workspace = createWorkspace()
  const file = join(workspace.cwd, "program.sh")
  writeFileSync(file, `#!/bin/bash\n${script}\n`)
  chmodSync(file, 0o700)
  return {
    workspace,
    file,
    args: [],
    cwd: workspace.cwd,
    env: workspace.context.env,
    stdin: "",
    timeoutMs: 20_000,
    killGraceMs: 300,
    signal: new AbortController().signal,
    ownerId: workspace.context.sessionId,
    maxStdoutBytes: 1_000,
    maxStderrBytes: 100,
    ...overrides,
  }
}

const confined = await Promise.all(
  backends.map(async ({ name, create }): Promise<[string, Sandbox]> => [name, await create()]),
)
const sandboxes: [string, Sandbox][] = [["unconfined", unconfined], ...confined]

describe.each(sandboxes)("a program, %s", (_, sandbox) => {
  test("reads its input, keeps its outputs apart, and reports how it ended", async () => {
    const result = await sandbox.runProgram(createProgram("cat; echo problem >&2; exit 3", { stdin: '{"a":1}' }))
    expect(result).toEqual({
      exitCode: 3,
      signal: null,
      stoppedFor: null,
      stdout: '{"a":1}',
      stderrEnd: "problem\n",
    })
  })

  test("gets its arguments unchanged, since no shell reads them", async () => {
    const args = ["$(touch pwned)", "a b", "; exit 9", "*", "-n", ""]
    const program = createProgram(`printf '<%s>' "$@"`, { args })
    expect((await sandbox.runProgram(program)).stdout).toBe(args.map((arg) => `<${arg}>`).join(""))
    expect(existsSync(join(program.cwd, "pwned"))).toBe(false)
  })

  test("may end without reading its input", async () => {
    const result = await sandbox.runProgram(createProgram("exec <&-; echo done", { stdin: "x".repeat(1_000_000) }))
    expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
  })

  test("is stopped if it writes too much", async () => {
    const result = await sandbox.runProgram(createProgram("while :; do echo 0123456789; done"))
    expect(result).toMatchObject({ stoppedFor: "output" })
    expect(result.stdout).toHaveLength(1_000)
  })

  test("keeps the end of its standard error", async () => {
    const result = await sandbox.runProgram(createProgram("for i in {1..200}; do echo line $i >&2; done; exit 1"))
    expect(result.stderrEnd).toHaveLength(100)
    expect(result.stderrEnd).toMatch(/line 200\n$/)
  })

  test("may clean up when its time is up", async () => {
    const polite = "trap 'echo cleaned; exit 7' TERM; touch ready; while :; do sleep 0.05; done"
    const { result } = await runUntilTimeIsUp(
      (timeoutMs) => createProgram(polite, { timeoutMs, killGraceMs: 60_000 }),
      sandbox.runProgram,
    )
    expect(result).toMatchObject({ stoppedFor: "timeout", stdout: "cleaned\n" })
  })
})

test("everything that a program started ends with it, in other groups as well, even if it ignores SIGTERM", async () => {
  const abort = new AbortController()
  const program = createProgram(
    `trap '' TERM
setsid bash -c "trap '' TERM; echo \\$\\$ > grandchild; while :; do sleep 0.05; done" &
echo $$ > child
while :; do sleep 0.05; done`,
    { signal: abort.signal },
  )
  const running = unconfined.runProgram(program)
  const pids = await Promise.all(["child", "grandchild"].map((name) => pidIn(join(program.cwd, name))))
  abort.abort()
  expect(await running).toMatchObject({ stoppedFor: "abort", exitCode: null, signal: "SIGKILL" })
  expect(pids.map(isAlive)).toEqual([false, false])
})

const aSandbox = { name: "bubblewrap", isAvailable: confined.length > 0 }
testWith([aSandbox], "a confined program sees neither the home nor the files next to itself", async () => {
  for (const [name, sandbox] of confined) {
    const secret = createWorkspace()
    writeFileSync(join(secret.cwd, "secret"), "hidden")
    const result = await sandbox.runProgram(createProgram(`cat ${join(secret.cwd, "secret")}`))
    expect(result, name).toMatchObject({ exitCode: 1, stdout: "" })
  }
})
