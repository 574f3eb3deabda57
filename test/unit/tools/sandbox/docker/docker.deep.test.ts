import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { createDocker } from "../../../../../tools/sandbox/docker/docker.ts"
import { defaultResourceLimits } from "../../../../../tools/sandbox/process/resource-limits.ts"
import { createCommand, testLimits } from "../command.ts"
import { processesOf } from "../docker-stand-in-containers.ts"
import { createStandIn } from "../docker-stand-in.ts"
import type { StandIn } from "../docker-stand-in.ts"
import { untilPasses } from "../../../../helpers/eventually.ts"
import { processesWith } from "../../../../helpers/processes.ts"

const linux = process.platform === "linux"

const ready = (file: string): Promise<void> => untilPasses(() => expect(existsSync(file)).toBe(true))

/** Ignores SIGTERM, with a process that left the group and the session. */
const stubborn =
  "trap '' TERM; setsid bash -c \"trap '' TERM; touch ready; while :; do sleep 0.05; done\" & while :; do sleep 0.05; done"
/** Writes a line to a file on SIGTERM. */
const polite = "trap 'echo cleaned > last; echo cleaned; exit 0' TERM; touch ready; while :; do sleep 0.05; done"

const startWorker = (standIn: StandIn, command: ReturnType<typeof createCommand>) => {
  const file = fileURLToPath(import.meta.resolve("../docker-start-command.ts"))
  const { workspace, signal: _, ...rest } = command
  const worker = spawn(process.execPath, [file, JSON.stringify(rest), JSON.stringify(standIn.options)], {
    stdio: "ignore",
    env: { ...process.env, TMPDIR: workspace.root },
  })
  onTestFinished(() => void worker.kill("SIGKILL"))
  return worker
}

describe.runIf(linux)("docker, with a stand-in for client and engine", () => {
  test("runs a command in its directory and returns its ordered output and exit code, leaving no container", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    const command = createCommand("pwd; echo two >&2; echo hi > made.txt; exit 3")
    expect(sandbox).toMatchObject({ kind: "docker", confined: true })
    expect(await sandbox.run(command)).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      aborted: false,
      output: `${command.cwd}\ntwo\n`,
      outputBytes: command.cwd.length + 5,
      truncated: false,
    })
    expect(readFileSync(join(command.cwd, "made.txt"), "utf8")).toBe("hi\n")
    expect(standIn.containers()).toEqual([])
  })

  test("labels a container with its owner and gives it a unique name", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    const command = createCommand("true")
    await sandbox.run(command)
    const first = standIn.last()
    await sandbox.run(command)
    expect(first.labels).toContain(`adjutant.owner=${command.ownerId}`)
    expect(first.labels).toContainEqual(expect.stringMatching(/^adjutant\.command=[0-9a-f-]{36}$/))
    expect(first.name).toMatch(/^adjutant-[0-9a-f-]{36}$/)
    expect(standIn.last().name).not.toBe(first.name)
  })

  test("returns a command's own 125, 126 and 127 as its exit codes", async () => {
    const sandbox = createDocker(createStandIn().options)
    for (const exitCode of [125, 126])
      expect(await sandbox.run(createCommand(`echo 'docker: not so'; exit ${exitCode}`))).toMatchObject({
        exitCode,
        output: "docker: not so\n",
      })
    expect(await sandbox.run(createCommand("no-such-program"))).toMatchObject({
      exitCode: 127,
      output: expect.stringContaining("no-such-program: command not found"),
    })
    expect(await sandbox.run(createCommand("kill -KILL $$"))).toMatchObject({ exitCode: 137 })
  })

  test("limits the size of files and the processor time of a command", async () => {
    const resources = { ...defaultResourceLimits, fileMb: 1, cpuSeconds: 1 }
    const sandbox = createDocker({ ...createStandIn().options, resources })
    const large = createCommand("ulimit -c; head -c 3000000 /dev/zero > big")
    expect(await sandbox.run(large)).toMatchObject({ exitCode: 153, output: expect.stringMatching(/^0\n/) })
    expect(statSync(join(large.cwd, "big")).size).toBe(1024 * 1024)
    expect(await sandbox.run(createCommand("while :; do :; done"))).toMatchObject({ exitCode: 137, timedOut: false })
  })

  test("reports a refusal as an expected error that quotes docker", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    standIn.refuse("failed to create task: no space left on device.")
    await expect(sandbox.run(createCommand("touch started"))).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message:
        "the command could not be run: docker failed: Error response from daemon: failed to create task: no space left on device (image tools:1)",
    })
  })

  test("names a missing engine or image, with what to do", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    await sandbox.run(createCommand("true"))
    standIn.setImages({})
    await expect(sandbox.run(createCommand("true"))).rejects.toThrow(
      "the command could not be run: docker does not have the image tools:1: run docker pull tools:1",
    )
    standIn.stopEngine()
    await expect(sandbox.run(createCommand("true"))).rejects.toThrow(/its engine does not answer \(Cannot connect to/)
  })

  test("keeps both ends of long output and the whole in a bounded file, without docker's own messages", async () => {
    const sandbox = createDocker(createStandIn().options)
    const command = createCommand("seq 1 5000; echo flood > /proc/$PPID/fd/2; echo end", { maxOutputBytes: 1_000 })
    const result = await sandbox.run(command)
    expect(result).toMatchObject({ truncated: true, exitCode: 0 })
    expect(result.output).toMatch(/^1\n2\n3\n/)
    expect(result.output).toMatch(/5000\nend\n$/)
    expect(statSync(command.outputFile).size).toBe(result.outputBytes)
    const endless = createCommand("head -c 3000000 /dev/zero | tr '\\0' x", { maxOutputBytes: 1_000 })
    expect((await sandbox.run(endless)).outputBytes).toBe(3_000_000)
    expect(statSync(endless.outputFile).size).toBeLessThan(testLimits.maxOutputFileBytes + 200)
  })

  test("lets a stopped command clean up", async () => {
    const controller = new AbortController()
    const command = createCommand(polite, { signal: controller.signal })
    const result = createDocker(createStandIn().options).run(command)
    await ready(join(command.cwd, "ready"))
    controller.abort()
    expect(await result).toMatchObject({ aborted: true, exitCode: 0, output: expect.stringContaining("cleaned\n") })
  })

  test("kills a command that ignores SIGTERM with everything that it started, even if its client dies first", async () => {
    const standIn = createStandIn()
    const command = createCommand(stubborn, { timeoutMs: 3_000 })
    const result = createDocker(standIn.options).run(command)
    await ready(join(command.cwd, "ready"))
    const { id, name } = standIn.last()
    expect(processesOf(id).length).toBeGreaterThan(2)
    expect(await result).toMatchObject({ timedOut: true, signal: "SIGKILL" })
    expect(processesOf(id)).toEqual([])
    expect(standIn.containers()).toEqual([])
    await untilPasses(() => expect(processesWith(name)).toEqual([]))
  })

  test("stops a command on abort, and never starts one that was aborted before", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    const controller = new AbortController()
    const command = createCommand(stubborn, { signal: controller.signal })
    const result = sandbox.run(command)
    await ready(join(command.cwd, "ready"))
    controller.abort()
    expect(await result).toMatchObject({ aborted: true, timedOut: false })
    expect(processesOf(standIn.last().id)).toEqual([])
    const late = createCommand("touch started", { signal: controller.signal })
    expect(await sandbox.run(late)).toMatchObject({ aborted: true, exitCode: null })
    expect(existsSync(join(late.cwd, "started"))).toBe(false)
  })

  test("removes the container of a client that is killed", async () => {
    const standIn = createStandIn()
    const command = createCommand(stubborn)
    const result = createDocker(standIn.options).run(command)
    await ready(join(command.cwd, "ready"))
    const { id, name } = standIn.last()
    const [client] = processesWith(`--name\0${name}`)
    process.kill(client ?? 0, "SIGKILL")
    expect(await result).toMatchObject({ signal: "SIGKILL", timedOut: false, aborted: false })
    expect(processesOf(id)).toEqual([])
  })

  test("returns a background command at once, sends its output to a file, and stops it only with its owner", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    const [mine, other] = [polite, polite].map((script) => createCommand(`echo up; ${script}`, { background: true }))
    if (mine === undefined || other === undefined) throw new Error("unreachable")
    const started = await sandbox.run(mine)
    await sandbox.run(other)
    expect(started).toMatchObject({ exitCode: null, signal: null, pid: expect.any(Number) })
    await Promise.all([mine, other].map(({ cwd }) => ready(join(cwd, "ready"))))
    await sandbox.stopBackground(mine.ownerId)
    expect(standIn.containers().map(({ labels }) => labels[0])).toEqual([`adjutant.owner=${other.ownerId}`])
    const written = (): string => readFileSync(mine.outputFile, "utf8")
    await untilPasses(() => expect(written()).toMatch(/^up\n.*cleaned\n\n\[exited with code 0\]\n$/s))
    await sandbox.stopBackground(other.ownerId)
    expect(standIn.containers()).toEqual([])
  })

  test("reports a background command that fails at the start, and docker's own failure", async () => {
    const standIn = createStandIn({ startAllowanceMs: 10_000 })
    const sandbox = createDocker(standIn.options)
    const failing = createCommand("echo broken; exit 4", { background: true })
    expect(await sandbox.run(failing)).toMatchObject({ exitCode: 4, output: "broken\n" })
    standIn.refuse("no")
    await expect(sandbox.run(createCommand("true", { background: true }))).rejects.toThrow(
      "docker failed: Error response from daemon: no (image tools:1)",
    )
  })

  test.each([true, false])("leaves no container of a killed worker (background: %s)", async (background) => {
    const standIn = createStandIn()
    const command = createCommand(stubborn, { background })
    const worker = startWorker(standIn, command)
    await ready(join(command.cwd, "ready"))
    const { id } = standIn.last()
    worker.kill("SIGKILL")
    await untilPasses(() => expect([standIn.containers(), processesOf(id)]).toEqual([[], []]))
  })

  test.each([
    ["SIGTERM is enough for", polite],
    ["SIGTERM is not enough for", stubborn],
  ])("lets another worker stop the container of a dead worker, where %s it", async (_, script) => {
    const standIn = createStandIn()
    const command = createCommand(script, { background: true })
    const worker = startWorker(standIn, command)
    await ready(join(command.cwd, "ready"))
    const { id, name } = standIn.last()
    const outside = processesWith(name).filter((pid) => !processesOf(id).includes(pid))
    for (const pid of outside) process.kill(pid, "SIGSTOP")
    worker.kill("SIGKILL")
    await once(worker, "exit")
    for (const pid of outside) process.kill(pid, "SIGKILL")
    await untilPasses(() => expect(processesWith(name)).toEqual([]))
    expect(standIn.processes().length).toBeGreaterThan(1)
    const fresh = createDocker(standIn.options)
    await fresh.stopBackground("another-owner")
    expect(standIn.containers()).toHaveLength(1)
    await fresh.stopBackground(command.ownerId)
    expect([standIn.containers(), processesOf(id)]).toEqual([[], []])
    expect(existsSync(join(command.cwd, "last"))).toBe(script === polite)
  })

  test("reports an error if the containers cannot be listed", async () => {
    const standIn = createStandIn()
    standIn.stopEngine()
    await expect(createDocker(standIn.options).stopBackground("session-1")).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("docker ps --filter label=adjutant.owner=session-1"),
    })
  })
})
