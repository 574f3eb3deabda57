import { spawn } from "node:child_process"
import type { Environment } from "../../domain/environment.ts"
import { programOnPath } from "../../server/program/program-on-path.ts"
import { type Interrupts, orInterrupted } from "./interrupts.ts"
import { askAtTerminal, type TerminalStreams } from "./ask-at-terminal.ts"
import { discardTyped } from "./terminal-input.ts"

/** A program that gets the terminal: a command line for the shell, as `$PAGER` and `$EDITOR` are, and its arguments. */
export interface TerminalProgram {
  readonly command: string
  readonly args?: readonly string[]
  /** Its stdin; without it, the program reads from the terminal. */
  readonly input?: string
}

/** Returns whether the shell could not start a program: it is not executable (126) or not there (127). */
export const isNotStarted = (exitCode: number | null): boolean => exitCode === 126 || exitCode === 127

/** The person at the terminal of this process. */
export interface Person {
  /** Asks a question; returns undefined if the input ends. Rejects with `Interrupted` on a signal. */
  ask(question: string): Promise<string | undefined>
  /** Discards what was typed before now. Called before something new is shown: nobody can have answered it. */
  discardTyped(): Promise<void>
  /**
   * Runs a program at the terminal until it ends, and leaves Ctrl-C to it. Returns its exit code; null if it was killed or there is no shell. Rejects
   * with `Interrupted` at the program's end if another signal came.
   */
  run(program: TerminalProgram): Promise<number | null>
}

/** The shell in between waits for the program at Ctrl-C, too: without a handler it would end with the signal, whatever the program returned. */
const catchInterrupts = "trap : INT QUIT"

const runProgram = ({ command, args = [], input }: TerminalProgram): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn("sh", ["-c", `${catchInterrupts}; ${command} "$@"`, "sh", ...args], {
      stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
      // A pager that is `less` shows colours, and leaves a short text on the screen.
      env: { LESS: "FRX", ...process.env },
    })
    child.once("error", () => resolve(null))
    child.once("close", (code) => resolve(code))
    // A pager that is left early closes its end.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input)
  })

/** Returns the person at the terminal; undefined unless stdin, stdout and stderr are all terminals, so that nobody waits on a pipe. */
export const personAtTerminal = (
  terminal: TerminalStreams & { readonly stdout: NodeJS.WriteStream },
  interrupts: Interrupts,
): Person | undefined => {
  const { stdin, stdout, stderr } = terminal
  if (!stdin.isTTY || !stdout.isTTY || !stderr.isTTY) return undefined
  return {
    ask: (question) => askAtTerminal(terminal, interrupts, question),
    discardTyped: () => discardTyped(stdin),
    run: async (program) => {
      const resume = interrupts.suspend()
      const code = await runProgram(program).finally(resume)
      return await orInterrupted(interrupts, Promise.resolve(code))
    },
  }
}

/** Returns the command of the pager: `$PAGER`, or else `less -R` if it is there. Undefined if none is wanted or there. */
export const pagerCommand = (env: Environment): string | undefined => {
  const wanted = env["PAGER"]?.trim()
  if (wanted !== undefined) return wanted === "" || wanted === "cat" ? undefined : wanted
  return programOnPath("less", env) === undefined ? undefined : "less -R"
}

/** Returns the command of the editor: `$VISUAL`, or else `$EDITOR`, or else `vi` if it is there. */
export const editorCommand = (env: Environment): string | undefined => {
  const wanted = [env["VISUAL"], env["EDITOR"]].map((name) => name?.trim() ?? "").find((name) => name !== "")
  return wanted ?? (programOnPath("vi", env) === undefined ? undefined : "vi")
}
