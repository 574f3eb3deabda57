import { expect, test } from "vitest"
import { noPaint, paintFor } from "../../../../cli/terminal/paint.ts"
import { shareScreen } from "../../../../cli/terminal/screen.ts"

const shared = (isOnePlace: boolean) => {
  let text = ""
  const sink = { isTTY: true, write: (piece: string) => void (text += piece) }
  return { ...shareScreen({ stdout: sink, stderr: sink, isOnePlace }), text: () => text }
}

test("a line of others does not continue the part of a line that is open", () => {
  const { stderr, screen, text } = shared(false)
  screen.writePart("The answer so")
  stderr.write("warning: no sandbox\n")
  screen.writePart(" far.")
  expect(text()).toBe("The answer so\nwarning: no sandbox\n far.")
  expect(screen.isLineOpen()).toBe(true)
})

test("stdout starts on a line of its own where it is the same terminal as stderr", () => {
  const one = shared(true)
  one.screen.writePart("● Read a.md")
  one.stdout.write("result\n")
  expect(one.text()).toBe("● Read a.md\nresult\n")
  const two = shared(false)
  two.screen.writePart("● Read a.md")
  two.stdout.write("result\n")
  expect(two.text()).toBe("● Read a.mdresult\n")
})

test("the status is removed before a line is written, and shown again below it", () => {
  const { stderr, screen, text } = shared(true)
  screen.setStatus("working")
  stderr.write("warning: careful\n")
  screen.setStatus(undefined)
  expect(text()).toBe("working\r\u001b[Kwarning: careful\nworking\r\u001b[K")
})

test("the status does not interrupt the part of a line that is open", () => {
  const { screen, text } = shared(true)
  screen.writePart("The answer")
  screen.setStatus("working")
  screen.writePart(" continues.\n")
  expect(text()).toBe("The answer continues.\nworking")
})

test("colours appear only on terminals, and not if NO_COLOR is set", () => {
  const terminal = { isTTY: true, write: () => undefined }
  expect(paintFor(terminal, {}).red("x")).toBe("\u001b[31mx\u001b[39m")
  expect(paintFor(terminal, { NO_COLOR: "" }).red("x")).toContain("\u001b[31m")
  for (const [sink, env] of [
    [terminal, { NO_COLOR: "1" }],
    [terminal, { TERM: "dumb" }],
    [{ write: () => undefined }, {}],
  ] as const)
    expect(paintFor(sink, env)).toBe(noPaint)
})
