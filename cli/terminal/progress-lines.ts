import type { Environment } from "../../domain/environment.ts"
import { isTerminal } from "./paint.ts"
import type { CliIo } from "./screen.ts"

/** Shows the progress of a start on stderr. */
export interface ProgressLines {
  show(line: string): void
  /** Erases what is shown of a wait. */
  end(): void
}

const firstAfterSeconds = 5
const everySeconds = 30
/** A wait that reports every second has ended if nothing came for longer. */
const staleMs = 1_500

/** Returns the seconds of a line such as `waiting for the server … 12 s`; undefined for any other line. */
const waitedSeconds = (line: string): number | undefined => {
  const found = / … (\d+) s$/.exec(line)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Shows a wait on one line of a terminal, and erases the line at its end. Elsewhere, a wait is a new line every 30 s. Other lines are written as they are. */
export const createProgressLines = ({ io, env }: { readonly io: CliIo; readonly env: Environment }): ProgressLines => {
  const { stderr, screen, paint } = io
  const isOnScreen = isTerminal(stderr, env)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isShown = false
  let nextSeconds = firstAfterSeconds
  const end = (): void => {
    clearTimeout(timer)
    if (isShown) screen.setStatus(undefined)
    isShown = false
  }
  return {
    end,
    show: (line) => {
      const seconds = waitedSeconds(line)
      if (seconds === undefined) return void stderr.write(`${line}\n`)
      if (!isOnScreen) {
        if (seconds < nextSeconds) return
        nextSeconds = seconds + everySeconds
        return void stderr.write(`${line}\n`)
      }
      clearTimeout(timer)
      timer = setTimeout(end, staleMs)
      timer.unref()
      isShown = true
      screen.setStatus(paint.stderr.dim(line))
    },
  }
}
