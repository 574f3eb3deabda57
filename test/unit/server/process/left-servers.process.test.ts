import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import { findLeftServers } from "../../../../server/process/find-left-servers.ts"
import { launchTemporal, type LaunchOptions } from "../../../../server/keeper/launch-temporal.ts"
import { serverFiles } from "../../../../server/process/server-files.ts"
import { createTemporaryFolder } from "../../../helpers/store/store-under-test.ts"

/** Starts a process with the arguments of a server on this file. */
const startLeft = async (database: string) => {
  const program = "process.stdout.write('up'); setInterval(() => undefined, 1000)"
  const args = ["-e", program, "--", "server", "start-dev", "--db-filename", database, "--log-level", "warn"]
  const left = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(() => void left.kill("SIGKILL"))
  await once(left.stdout, "data")
  return left
}

test("a server that a killed keeper did not record ends before another one is started on its file", async () => {
  const dataDir = await createTemporaryFolder()
  const { database, directory } = serverFiles(dataDir)
  await mkdir(directory)
  const left = await startLeft(database)
  const other = await startLeft(`${database}.copy`)
  expect(findLeftServers(database).map(({ pid }) => pid)).toEqual([left.pid])
  const ended = once(left, "exit")
  const options: LaunchOptions = {
    dataDir,
    program: "/nowhere/temporal",
    synchronous: "normal",
    env: {},
    lingerMs: 0,
    readyTimeoutMs: 1_000,
    stopGraceMs: 5_000,
    onExit: () => undefined,
    stop: new AbortController().signal,
  }
  await expect(launchTemporal(options, 1)).rejects.toThrow(/cannot be started|ended before it was ready/)
  await ended
  expect(findLeftServers(database)).toEqual([])
  expect(other.exitCode).toBeNull()
})
