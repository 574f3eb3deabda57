import { describe, expect, it } from "vitest"
import { movedMachine, placementOf, type PlacementFacts } from "../../../../domain/engine/placement.ts"

const known = (name: string) => ({ name, isRecent: true })
/** The directory is here, and this machine is the only one. */
const held = { machine: movedMachine, directory: null, found: "id", machines: [known("b")] }
const facts: PlacementFacts = {
  machine: "a",
  directory: "id",
  here: "b",
  found: undefined,
  machines: [known("a"), known("b")],
}

describe("the place of a session's calls", () => {
  it.each([
    ["its own machine, also without the directory", { here: "a" }, { kind: "here" }],
    ["a machine that shares the directory", { found: "id" }, { kind: "here" }],
    ["its own machine, not one with another directory of that path", { found: "other" }, elsewhere("a")],
    ["its own machine, not one whose file system does not tell", { found: null, directory: null }, elsewhere("a")],
    [
      "its own machine, also one that has not had a worker for long",
      { machines: [old("a"), known("b")] },
      elsewhere("a"),
    ],
    ["no machine, while its data directory was moved and nobody has resumed it", held, elsewhere(movedMachine)],
    ["the first machine with such a path, if its own never had a worker", { machine: "s", found: "x" }, adopt("x")],
    ["the first machine with such a path, if its own is not known", { machine: null, found: null }, adopt(null)],
    ["any machine with recent workers, if nothing is known", { machine: null }, elsewhere("a", false)],
    ["this machine, if it is the only one", { machine: null, machines: [known("b"), old("c")] }, { kind: "here" }],
  ])("is %s", (_, change, placement) => {
    expect(placementOf({ ...facts, ...change })).toEqual(placement)
  })
})

function old(name: string) {
  return { name, isRecent: false }
}

function elsewhere(machine: string, isKnown = true) {
  return { kind: "elsewhere", machines: [machine], isKnown }
}

function adopt(directory: string | null) {
  return { kind: "adopt", directory }
}
