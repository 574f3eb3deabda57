import { connect } from "node:net"
import { writeFile } from "node:fs/promises"
import path, { dirname } from "node:path"
import { stringify } from "yaml"
import { expect } from "vitest"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { detectSandbox } from "../../../tools/sandbox/detect-sandbox.ts"
import { createProject } from "../cli/program.ts"
import { eventually } from "../../helpers/eventually.ts"
import { testWith } from "../../helpers/needs.ts"

// A command that a person approved decided the other calls: the API required no token on loopback.

const needs = [{ name: "bubblewrap", isAvailable: (await detectSandbox("auto")).confined }]

const commandIn = (dataDir: string): string =>
  [
    `cat ${dataDir}/api-token && echo token was read`,
    `ls -A ${dataDir} ${dirname(dataDir)} | grep . && echo data directory was read`,
    "for port in $(cat ports); do (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && echo port was reached; done",
    "echo tried $(wc -w < ports)",
  ].join("; ")

/** The calls of the model; the place of the data directory is known once the project exists. */
const scriptOf = (dataDir: string): string =>
  stringify({
    turns: [
      {
        reply: {
          tool_calls: [
            { id: "bash", name: "Bash", arguments: { command: commandIn(dataDir) } },
            { id: "read", name: "Read", arguments: { file_path: `${dataDir}/api-token` } },
            { id: "grep", name: "Grep", arguments: { pattern: ".", path: dataDir } },
            { id: "glob", name: "Glob", arguments: { pattern: `${dataDir}/*` } },
          ],
        },
      },
      { reply: { text: "Tried." } },
    ],
  })

/** Returns whether something listens there. */
const isReached = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

testWith(needs, "a confined command reaches neither the API nor Temporal, and reads no token", async () => {
  await using project = await createProject({ main: {} })
  await writeFile(path.join(project.cwd, "main.yaml"), scriptOf(project.dataDir))
  const dev = project.start("dev", "--port", "0")
  await dev.stderrHas("listening on ")
  await eventually(() => /listening on \S+\n/.test(dev.stderr()))
  const url = /listening on (\S+)\n/.exec(dev.stderr())?.[1] ?? ""
  const engine = liveRecord(project.dataDir)?.address ?? ""
  const ports = [url, `tcp://${engine}`].map((address) => Number(new URL(address).port))
  expect(await Promise.all(ports.map(isReached))).toEqual([true, true])
  await writeFile(path.join(project.cwd, "ports"), ports.join(" "))

  const ended = await project.run("run", "--sandbox", "Try it.", "--output", "json")
  expect(ended.code).toBe(0)
  const { session_id: id } = JSON.parse(ended.stdout)
  const { stdout } = await project.run("log", id, "--tools")
  expect(stdout).toContain("tried 2")
  const { authorization } = await project.authorization()
  expect(stdout).not.toContain(authorization.replace("Bearer ", ""))
  expect(stdout).not.toMatch(/^\W*(token was read|data directory was read|port was reached)/m)
  dev.child.kill("SIGTERM")
  await dev.ended
})
