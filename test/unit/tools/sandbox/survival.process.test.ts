import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { describeEachBackend } from "./backends.ts"
import { createCommand, patientLimits, runUntilTimeIsUp } from "./command.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { processesWith } from "../../../helpers/processes.ts"

const uniqueSeconds = (): string => String(100_000 + Math.floor(Math.random() * 900_000_000))

await describeEachBackend(async ({ name: backend, create }) => {
  const sandbox = await create()

  test("an abort during the sandbox's setup does not wait for the grace time", async () => {
    const controller = new AbortController()
    const patient = await create(patientLimits)
    const stopping = patient.run(createCommand("sleep 300", { signal: controller.signal }))
    setImmediate(() => controller.abort())
    expect(await stopping).toMatchObject({ aborted: true })
  })

  test("a command that exceeds its time limit may clean up and is then gone with everything that it started", async () => {
    const seconds = uniqueSeconds()
    const patient = await create(patientLimits)
    const polite = `trap 'echo cleaned' TERM; setsid sleep ${seconds} & sleep ${seconds} & touch ready; wait`
    const { result } = await runUntilTimeIsUp((timeoutMs) => createCommand(polite, { timeoutMs }), patient.run)
    expect(result).toMatchObject({ timedOut: true, output: expect.stringContaining("cleaned") })
    expect(processesWith(seconds)).toEqual([])
    const stubborn = `trap '' TERM; touch ready; while :; do sleep 0.${seconds}; done`
    const killed = await runUntilTimeIsUp((timeoutMs) => createCommand(stubborn, { timeoutMs }), sandbox.run)
    expect(killed.result).toMatchObject({ timedOut: true })
    expect(processesWith(seconds)).toEqual([])
  })

  test("what a command leaves behind ends with it, even in a session of its own", async () => {
    const seconds = uniqueSeconds()
    await sandbox.run(createCommand(`setsid nohup sleep ${seconds} > /dev/null 2>&1 & disown; sleep 0.1`))
    await untilPasses(() => expect(processesWith(seconds)).toEqual([]))
  })

  test("a background command is stopped with its owner, even by another worker", async () => {
    const seconds = uniqueSeconds()
    const command = createCommand(`echo up; sleep ${seconds}`, { background: true })
    const result = await sandbox.run(command)
    expect(result.pid).toBeGreaterThan(0)
    await untilPasses(() => expect(readFileSync(command.outputFile, "utf8")).toContain("up"))
    const another = await create()
    await another.stopBackground(command.ownerId)
    await untilPasses(() => expect(processesWith(seconds)).toEqual([]))
  })

  test("a killed worker leaves nothing behind", async () => {
    const seconds = uniqueSeconds()
    const { workspace, ...command } = createCommand(`setsid sleep ${seconds} & touch ready; sleep ${seconds}`, {
      background: true,
    })
    const file = fileURLToPath(import.meta.resolve("./start-command.ts"))
    const worker = spawn(process.execPath, [file, JSON.stringify(command), backend], { stdio: "ignore" })
    await untilPasses(() => expect(existsSync(join(workspace.cwd, "ready"))).toBe(true))
    worker.kill("SIGKILL")
    await once(worker, "exit")
    await untilPasses(() => expect(processesWith(seconds)).toEqual([]))
  })
})
