import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { createCommand, patientLimits, runUntilTimeIsUp, testLimits } from "./command.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { isAlive, pidIn } from "../../../helpers/processes.ts"

const sandbox = createUnconfined("a test", testLimits)
const linux = process.platform === "linux"

test("the notice says that nothing confines commands, and why", () => {
  expect(sandbox).toMatchObject({ kind: "none", confined: false, reason: "a test" })
})

test("stdout and stderr are interleaved in order, with the exit code", async () => {
  const result = await sandbox.run(createCommand("echo one; echo two >&2; echo three; exit 3"))
  expect(result).toMatchObject({
    output: "one\ntwo\nthree\n",
    exitCode: 3,
    timedOut: false,
    aborted: false,
    truncated: false,
  })
})

test("the command sees the given environment, and no descriptor or variable of the worker", async () => {
  process.env.WORKER_SECRET = "worker secret"
  const result = await sandbox.run(
    createCommand("env; ls -v /proc/self/fd", { env: { PATH: "/usr/bin:/bin", GIVEN: "yes" } }),
  )
  delete process.env.WORKER_SECRET
  expect(result.output).toContain("GIVEN=yes")
  expect(result.output).not.toContain("WORKER_SECRET")
  const marked = linux ? ["241"] : []
  const expected = ["0", "1", "2", "3", ...marked]
  expect(result.output.trim().split("\n").slice(-expected.length)).toEqual(expected)
})

test("quotes, line ends and dollar signs of a command are passed unchanged", async () => {
  const result = await sandbox.run(createCommand(`cat <<'X'\n"$2" 'a' \\ $HOME\nX\necho "$0-$#"`))
  expect(result.output).toBe(`"$2" 'a' \\ $HOME\n/bin/bash-0\n`)
})

test("the command has no child that it did not start", async () => {
  const result = await sandbox.run(createCommand("wait; ps -o pid= --ppid $$ | wc -l"))
  // ps and wc themselves.
  expect(result.output.trim()).toBe("2")
})

test("long output keeps both ends, and the whole is in a file that only its owner can read", async () => {
  const command = createCommand("seq 1 5000; echo é", { maxOutputBytes: 1_000 })
  const result = await sandbox.run(command)
  expect(result.truncated).toBe(true)
  expect(result.output.startsWith("1\n2\n3\n")).toBe(true)
  expect(result.output.endsWith("5000\né\n")).toBe(true)
  expect(result.output).toContain(command.outputFile)
  const whole = readFileSync(command.outputFile)
  expect(whole.length).toBe(result.outputBytes)
  expect(statSync(command.outputFile).mode & 0o777).toBe(0o600)
})

test("short output leaves no file", async () => {
  const command = createCommand("echo hi")
  await sandbox.run(command)
  expect(existsSync(command.outputFile)).toBe(false)
})

test("the file of an endless output is bounded", async () => {
  const command = createCommand("head -c 3000000 /dev/zero | tr '\\0' x")
  const result = await sandbox.run(command)
  expect(result.outputBytes).toBe(3_000_000)
  expect(statSync(command.outputFile).size).toBeLessThan(testLimits.maxOutputFileBytes + 200)
  expect(readFileSync(command.outputFile, "utf8")).toContain("[the file ends here")
})

test("a command that exceeds its time limit is stopped with its grandchildren, and its output so far is kept", async () => {
  const command = "echo begun; bash -c 'sleep 300 & echo $! > pid; touch ready; wait'; echo never"
  const { cwd, result } = await runUntilTimeIsUp((timeoutMs) => createCommand(command, { timeoutMs }), sandbox.run)
  expect(result).toMatchObject({ timedOut: true, aborted: false })
  expect(result.output).toContain("begun")
  expect(result.output).not.toContain("never")
  expect(isAlive(await pidIn(join(cwd, "pid")))).toBe(false)
})

test("SIGTERM lets a command clean up; a command that ignores it is killed after the grace time", async () => {
  const polite = "trap 'echo cleaned; exit 0' TERM; touch ready; while :; do sleep 0.05; done"
  const patient = createUnconfined("a test", patientLimits)
  const { result } = await runUntilTimeIsUp((timeoutMs) => createCommand(polite, { timeoutMs }), patient.run)
  expect(result.output).toContain("cleaned")
  const stubborn = "trap '' TERM; echo $$ > pid; touch ready; while :; do sleep 0.05; done"
  const killed = await runUntilTimeIsUp((timeoutMs) => createCommand(stubborn, { timeoutMs }), sandbox.run)
  expect(killed.result).toMatchObject({ timedOut: true, signal: "SIGKILL" })
  expect(isAlive(await pidIn(join(killed.cwd, "pid")))).toBe(false)
})

test("abort stops a command, and a command that was aborted before never starts", async () => {
  const controller = new AbortController()
  const command = createCommand("echo $$ > pid; sleep 300", { signal: controller.signal })
  const running = sandbox.run(command)
  const pid = await pidIn(join(command.cwd, "pid"))
  controller.abort()
  expect(await running).toMatchObject({ aborted: true, timedOut: false })
  expect(isAlive(pid)).toBe(false)
  const late = createCommand("touch started", { signal: controller.signal })
  expect(await sandbox.run(late)).toMatchObject({ aborted: true, exitCode: null })
  expect(existsSync(join(late.cwd, "started"))).toBe(false)
})

test("what a command leaves behind ends with it and does not delay it", async () => {
  const command = createCommand("sleep 300 & echo $! > pid; echo done")
  expect(await sandbox.run(command)).toMatchObject({ exitCode: 0, output: "done\n" })
  const pid = await pidIn(join(command.cwd, "pid"))
  await untilPasses(() => expect(isAlive(pid)).toBe(false))
})

test.runIf(linux)("a process that left the group and the session is found and stopped", async () => {
  const command = createCommand(
    "setsid bash -c 'echo $$ > pid; exec sleep 300' > /dev/null 2>&1 & until [ -s pid ]; do sleep 0.02; done",
  )
  await sandbox.run(command)
  expect(isAlive(await pidIn(join(command.cwd, "pid")))).toBe(false)
})

const strangers = [
  "setsid env -i PID=$PWD/pid bash -c 'echo $$ > \"$PID\"; exec sleep 300' > /dev/null 2>&1 & until [ -s pid ]; do sleep 0.02; done",
  `${process.execPath} -e 'const c = require("child_process").spawn("bash", ["-c", "echo $$ > pid; exec sleep 300"], { detached: true, stdio: "ignore" }); c.unref()'; until [ -s pid ]; do sleep 0.02; done`,
]

test.runIf(linux).each(strangers)(
  "a process that also cleared its environment, or closed its descriptors, is stopped: %s",
  async (script) => {
    const command = createCommand(script)
    await sandbox.run(command)
    expect(isAlive(await pidIn(join(command.cwd, "pid")))).toBe(false)
  },
)

test.runIf(linux)("such a process of a background command ends with its owner, also by another worker", async () => {
  const script = `${strangers[0]}; sleep 300`
  const [mine, other] = [createCommand(script, { background: true }), createCommand(script, { background: true })]
  for (const command of [mine, other]) await sandbox.run(command)
  const [pid, alsoStarted] = [await pidIn(join(mine.cwd, "pid")), await pidIn(join(other.cwd, "pid"))]
  await sandbox.stopBackground(mine.ownerId)
  expect([isAlive(pid), isAlive(alsoStarted)]).toEqual([false, true])
  await createUnconfined("another worker", testLimits).stopBackground(other.ownerId)
  expect(isAlive(alsoStarted)).toBe(false)
})

test.runIf(linux)("such a process ends when its command is cancelled", async () => {
  const controller = new AbortController()
  const command = createCommand(`${strangers[0]}; sleep 300`, { signal: controller.signal })
  const running = sandbox.run(command)
  const pid = await pidIn(join(command.cwd, "pid"))
  controller.abort()
  expect(await running).toMatchObject({ aborted: true })
  expect(isAlive(pid)).toBe(false)
})

test.runIf(linux)("the mark of a command's processes leaves no file behind", async () => {
  const command = createCommand("cd /proc/self/fd && ls -l | grep -c adjutant-process; echo $ADJUTANT_OWNER")
  expect((await sandbox.run(command)).output).toBe(`1\n${command.ownerId}\n`)
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("adjutant-process-"))).toEqual([])
})

test("a background command returns at once, writes to its file, and is stopped only with its owner", async () => {
  const script = "echo up; (sleep 300 & echo $! > grandchild); echo $$ > pid; sleep 300"
  const [mine, other] = [createCommand(script, { background: true }), createCommand(script, { background: true })]
  const [started, alsoStarted] = [await sandbox.run(mine), await sandbox.run(other)]
  expect(started).toMatchObject({ exitCode: null, signal: null, aborted: false })
  const pids = [await pidIn(join(mine.cwd, "pid")), await pidIn(join(mine.cwd, "grandchild"))]
  expect(started.pid).toBe(pids[0])
  await untilPasses(() => expect(readFileSync(mine.outputFile, "utf8")).toContain("up"))
  await sandbox.stopBackground(mine.ownerId)
  expect(pids.map(isAlive)).toEqual([false, false])
  expect(readFileSync(mine.outputFile, "utf8")).toContain("[ended by SIGTERM]")
  expect(isAlive(alsoStarted.pid ?? 0)).toBe(true)
  await sandbox.stopBackground(other.ownerId)
  expect(isAlive(alsoStarted.pid ?? 0)).toBe(false)
})

test("a background command that fails at the start is reported with its exit code", async () => {
  const patient = createUnconfined("a test", { ...testLimits, backgroundStartMs: 60_000 })
  const command = createCommand("echo broken; exit 4", { background: true })
  expect(await patient.run(command)).toMatchObject({ exitCode: 4, output: "broken\n" })
})

test("a missing working directory is an expected error", async () => {
  await expect(sandbox.run(createCommand("true", { cwd: "/does/not/exist" }))).rejects.toMatchObject({
    code: "sandbox_unavailable",
  })
})

const startElsewhere = async (background: boolean, script: string) => {
  const command = createCommand(script, { background })
  const file = fileURLToPath(import.meta.resolve("./start-command.ts"))
  const worker = spawn(process.execPath, [file, JSON.stringify({ ...command, signal: undefined })], { stdio: "ignore" })
  return { worker, command }
}

test.each([true, false])("a killed worker leaves no process of the group (background: %s)", async (background) => {
  const { worker, command } = await startElsewhere(background, "sleep 300 & echo $! > pid; wait")
  const pid = await pidIn(join(command.cwd, "pid"))
  worker.kill("SIGKILL")
  await once(worker, "exit")
  await untilPasses(() => expect(isAlive(pid)).toBe(false))
})

test.runIf(linux)("another worker stops what a killed worker left outside the group", async () => {
  const { worker, command } = await startElsewhere(true, "setsid bash -c 'echo $$ > pid; exec sleep 300' & wait")
  const pid = await pidIn(join(command.cwd, "pid"))
  worker.kill("SIGKILL")
  await once(worker, "exit")
  await createUnconfined("another worker", testLimits).stopBackground(command.ownerId)
  expect(isAlive(pid)).toBe(false)
})
