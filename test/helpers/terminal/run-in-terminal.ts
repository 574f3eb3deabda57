import { type ChildProcess, spawn } from "node:child_process"
import { programOnPath } from "../../../server/program/program-on-path.ts"

/** Runs a program on a pseudo terminal of 40 rows and 100 columns, and passes its input and output on. */
const relay = `
import fcntl, os, pty, select, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
sources = [master, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if data:
            os.write(master, data)
        else:
            sources.remove(0)
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
`

/** What a pseudo terminal needs. */
export const python = { name: "python3", isAvailable: programOnPath("python3", process.env) !== undefined }

export interface TerminalRun {
  readonly child: ChildProcess
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** Everything that the terminal has shown so far, with control sequences. */
  shown(): string
  /** Resolves when the text appears after everything that an earlier call has waited for; rejects if the program ends before. */
  shows(text: string): Promise<void>
  type(text: string): void
}

/** Starts a program at a terminal. */
export const runInTerminal = (
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  argv: readonly string[],
): TerminalRun => {
  const child = spawn("python3", ["-c", relay, ...argv], { ...place, stdio: ["pipe", "pipe", "pipe"] })
  let text = ""
  let seen = 0
  let complaint = ""
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (complaint += piece))
  child.stdin.on("error", () => undefined)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve(code))
  })
  return {
    child,
    ended,
    shown: () => text,
    type: (typed) => void child.stdin.write(typed),
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = text.indexOf(wanted, seen)
          if (at === -1) return
          seen = at + wanted.length
          child.stdout.off("data", look)
          resolve()
        }
        child.stdout.on("data", look)
        look()
        void ended.then((code) => reject(new Error(`ended with ${code} before "${wanted}": ${text}${complaint}`)))
      }),
  }
}
