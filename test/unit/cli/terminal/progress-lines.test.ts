import { describe, expect, it, vi } from "vitest"
import { noPaint } from "../../../../cli/terminal/paint.ts"
import { createProgressLines } from "../../../../cli/terminal/progress-lines.ts"
import { shareScreen } from "../../../../cli/terminal/screen.ts"

const progress = (isTTY: boolean) => {
  let text = ""
  const sink = { isTTY, write: (piece: string) => void (text += piece) }
  const shared = shareScreen({ stdout: sink, stderr: sink, isOnePlace: true })
  const stdin = (async function* () {
    yield ""
  })()
  const io = { ...shared, stdin, paint: { stdout: noPaint, stderr: noPaint } }
  return { ...createProgressLines({ io, env: {} }), text: () => text }
}

const wait = (seconds: number): string => `waiting for the Temporal server … ${seconds} s`

describe("the progress of a start", () => {
  it("overwrites one line of a terminal, and erases it at the end", () => {
    const { show, end, text } = progress(true)
    show(wait(1))
    show(wait(2))
    end()
    expect(text()).toBe(`${wait(1)}\r\u001b[K${wait(2)}\r\u001b[K`)
  })

  it("erases a wait that reports nothing more", () => {
    vi.useFakeTimers()
    try {
      const { show, text } = progress(true)
      show(wait(1))
      vi.advanceTimersByTime(5_000)
      expect(text()).toBe(`${wait(1)}\r\u001b[K`)
    } finally {
      vi.useRealTimers()
    }
  })

  it("is a line after 5 s and every 30 s elsewhere, and other lines are written as they are", () => {
    const { show, end, text } = progress(false)
    show("looking for the official Temporal program")
    for (let second = 1; second <= 70; second += 1) show(wait(second))
    end()
    expect(text().split("\n")).toEqual(["looking for the official Temporal program", wait(5), wait(35), wait(65), ""])
  })
})
