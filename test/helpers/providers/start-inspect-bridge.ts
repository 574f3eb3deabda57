import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort } from "../../../server/exposure/choose-ports.ts"
import { eventually } from "../eventually.ts"
import { pythonProgram } from "../python-program.ts"

export const inspect = pythonProgram("inspect")

/** A bridge of inspect-ai on loopback, which serves its mock model. */
export interface InspectBridge extends AsyncDisposable {
  /** Without a path. */
  readonly url: string
}

/** Only stops a hang: the first start on a machine unpacks the bridge's server. */
const startLimitMs = 300_000

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Starts the bridge. For each answer, its model asks `mindUrl`, with the messages and the names of the tools. */
export const startInspectBridge = async (mindUrl: string): Promise<InspectBridge> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-inspect-"))
  const port = await freePort(new Set())
  const python = path.join(inspect.folder, "bin", "python")
  const script = path.join(import.meta.dirname, "inspect-bridge.py")
  const program = spawn(python, [script, String(port), mindUrl, folder], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, INSPECT_DISPLAY: "none" },
    stdio: ["pipe", "pipe", "pipe"],
  })
  let said = ""
  for (const stream of [program.stdout, program.stderr])
    stream.on("data", (bytes: Buffer) => (said += bytes.toString()))
  const ended = once(program, "exit")
  const close = async () => {
    // It ends the server that it has started when its input ends.
    program.stdin.end()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await eventually(
      () => {
        if (program.exitCode !== null) throw new Error(`the bridge ended with ${program.exitCode}`)
        return isListening(port)
      },
      { timeoutMs: startLimitMs, everyMs: 250 },
    )
  } catch (error) {
    await close()
    throw new Error(`the bridge did not start: ${said.slice(-2_000)}`, { cause: error })
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}
