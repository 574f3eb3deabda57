import { expect, test } from "vitest"
import { bash } from "../../../../tools/bash.ts"
import { defaultResourceLimits, type ResourceLimits } from "../../../../tools/sandbox/process/resource-limits.ts"
import { call, createWorkspace } from "../workspace.ts"
import { describeEachBackend } from "./backends.ts"
import { testLimits } from "./command.ts"

await describeEachBackend(async ({ create }) => {
  const runLimited = async (command: string, limits: Partial<ResourceLimits>): Promise<string> => {
    const sandbox = await create(testLimits, { ...defaultResourceLimits, ...limits })
    const { context } = createWorkspace()
    const { content } = await call(bash, { command }, { ...context, sandbox })
    await sandbox.close?.()
    return content
  }

  test("a command that uses too much memory is stopped, and its model is told", async () => {
    const hog = `${process.execPath} -e 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))'`
    expect(await runLimited(hog, { memoryMb: 300 })).toContain("more than 300 MiB of memory (security.limits.memoryMb)")
    const many = `for i in 1 2 3 4; do ${process.execPath} -e 'const b = Buffer.alloc(90 << 20, 1); setTimeout(() => b, 60000)' & done; wait`
    expect(await runLimited(many, { memoryMb: 300 })).toContain("(security.limits.memoryMb)")
  })

  test("a command that starts too many processes is stopped", async () => {
    // Not a fork bomb: no kernel limit applies to root, so that one would overload the machine before it is found.
    const many = "for i in {1..150}; do sleep 60 & done; wait"
    expect(await runLimited(many, { processes: 60 })).toContain("more than 60 processes (security.limits.processes)")
  })

  test("a command that computes too long is stopped, also if it does so in many processes", async () => {
    const burn = "for i in 1 2 3; do (while :; do :; done) & done; wait"
    expect(await runLimited(burn, { cpuSeconds: 2 })).toContain("(security.limits.cpuSeconds)")
  })

  test("a file cannot become larger than allowed", async () => {
    expect(await runLimited("exec head -c 3000000 /dev/zero > big", { fileMb: 1 })).toMatch(
      /security\.limits\.fileMb|File too large/,
    )
  })

  test("a command within its limits is not stopped", async () => {
    const work = `for i in {1..30}; do sleep 0.3 & done; wait; ${process.execPath} -p 'Buffer.alloc(50 << 20, 1).length'`
    expect(await runLimited(work, {})).toBe(String(50 * 1024 * 1024))
  })
})
