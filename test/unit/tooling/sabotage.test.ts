import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestFinder } from "../../../scripts/sabotage/affected-tests.ts"
import { type Fault, listMisfits, misfitOf } from "../../../scripts/sabotage/fault.ts"
import { areaTable, faultLine, lostLines, type TriedFault } from "../../../scripts/sabotage/report.ts"
import { failuresOf, isOfCache, type RunStage } from "../../../scripts/sabotage/run-stage.ts"
import { tryFault } from "../../../scripts/sabotage/try-fault.ts"
import { tryFaults } from "../../../scripts/sabotage/try-faults.ts"
import { faultsByArea } from "../../sabotage/faults.ts"

const fault: Fault = {
  name: "a limit does not narrow",
  file: "domain/limit.ts",
  find: "Math.min(",
  replace: "Math.max(",
}
const source = "export const limit = (a: number, b: number) => Math.min(a, b)\n"

let root: string

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "adjutant-sabotage-test-"))
  await mkdir(path.join(root, "domain"))
  await writeFile(path.join(root, "domain/limit.ts"), source)
})

afterAll(async () => {
  await rm(root, { recursive: true, force: true })
})

const module = (name: string, state: "failed" | "passed", tests: readonly string[], message?: string) => ({
  relativeModuleId: name,
  state: () => state,
  errors: () => (message === undefined ? [] : [{ name: "Error", message, stacks: [] }]),
  children: { allTests: () => tests.map((fullName) => ({ fullName })), allSuites: () => [] },
})

const readSource = () => readFile(path.join(root, "domain/limit.ts"), "utf8")
const nothing = async () => undefined
const stage = (...files: readonly string[]) => ({ projects: ["unit"], files })

describe("the table of faults", () => {
  const all = Object.values(faultsByArea).flat()

  it("has faults of every area, each with a name of its own", () => {
    expect(all.length).toBeGreaterThanOrEqual(84)
    expect(Object.entries(faultsByArea).filter(([, faults]) => faults.length < 7)).toEqual([])
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })

  it("fits the sources as they are", async () => {
    expect(await listMisfits(path.resolve(import.meta.dirname, "../../.."), all)).toEqual([])
  })
})

describe("a fault", () => {
  it("fits a file in which its text occurs once", () => {
    expect(misfitOf(fault, source)).toBeUndefined()
    expect(misfitOf(fault, "const limit = 3\n")).toMatch(/^not found in domain\/limit.ts/)
    expect(misfitOf(fault, source + source)).toMatch(/^found 2 times in domain\/limit.ts/)
    expect(misfitOf({ ...fault, replace: fault.find }, source)).toMatch(/^changes nothing/)
  })

  it("is named if it does not fit, or its file is gone", async () => {
    const gone = { ...fault, name: "a file that was removed", file: "domain/gone.ts" }
    const misfits = await listMisfits(root, [fault, gone, { ...fault, name: "another text", find: "Math.abs(" }])
    expect(misfits).toHaveLength(2)
    expect(misfits[0]).toMatch(/^a file that was removed: .*domain\/gone.ts cannot be read/)
    expect(misfits[1]).toMatch(/^another text: not found/)
  })

  it("is in the file while the tests run, and no longer afterwards", async () => {
    const seen: string[] = []
    const runStage: RunStage = async () => {
      seen.push(await readSource())
      return { failures: [{ file: "test/unit/limit.test.ts", title: "limit › narrows" }] }
    }
    const outcome = await tryFault({ copy: root, runStage, changed: nothing }, fault, [stage("a"), stage("b")])
    expect(outcome).toEqual({ at: "caught", file: "test/unit/limit.test.ts", title: "limit › narrows" })
    expect(seen).toEqual([source.replace("min", "max")])
    expect(await readSource()).toBe(source)
  })

  it("slips if every stage passes", async () => {
    const runStage: RunStage = async () => ({ failures: [] })
    const workbench = { copy: root, runStage, changed: nothing }
    expect(await tryFault(workbench, fault, [stage("a"), stage("b", "c")])).toEqual({ at: "slipped", files: 3 })
  })

  it("is unclear, and its file restored, if the tests do not run", async () => {
    const broken: RunStage = async () => ({ failures: [], problem: "vitest failed" })
    const thrown: RunStage = async () => {
      throw new Error("no vitest")
    }
    for (const [runStage, reason] of [
      [broken, "vitest failed"],
      [thrown, "no vitest"],
    ] as const) {
      const outcome = await tryFault({ copy: root, runStage, changed: nothing }, fault, [stage("a")])
      expect(outcome).toEqual({ at: "unclear", reason })
      expect(await readSource()).toBe(source)
    }
  })

  it("is not caught by a test that starts programs and fails only once", async () => {
    const runs: (readonly string[])[] = []
    const runStage: RunStage = async ({ files }) => {
      runs.push(files)
      return { failures: runs.length === 1 || files[0] === "b" ? [{ file: files[0] ?? "", title: "fails" }] : [] }
    }
    const workbench = { copy: root, runStage, changed: nothing }
    const outcome = await tryFault(workbench, fault, [{ projects: ["workflow"], files: ["a", "b"] }])
    expect(outcome).toEqual({ at: "caught", file: "b", title: "fails" })
    expect(runs).toEqual([["a", "b"], ["a"], ["b"], ["b"]])
  })

  it("is not caught by a test that fails without it, too", async () => {
    const reported: TriedFault[] = []
    const failing = (names: readonly string[]): RunStage => {
      return async ({ files }) => ({
        failures: files.filter((file) => names.includes(file)).map((file) => ({ file, title: "fails" })),
      })
    }
    const tried = await tryFaults(
      {
        ...{ copy: root, changed: nothing, runStage: failing(["flaky", "good"]), runClean: failing(["flaky"]) },
        findTests: () => [stage("flaky"), stage("good")],
        report: async (each) => void reported.push(each),
      },
      [{ area: "limits", fault }],
    )
    const outcome = { at: "caught", file: "good", title: "fails" }
    expect(tried).toEqual([{ area: "limits", name: fault.name, outcome }])
    expect(reported.map((each) => each.outcome)).toEqual([{ at: "caught", file: "flaky", title: "fails" }, outcome])
  })
})

describe("the tests that a fault affects", () => {
  const test = (imported: string) => `import { limit } from "${imported}"\nit("narrows", () => limit(1, 2))\n`
  const find = createTestFinder([
    { file: "domain/limit.ts", text: source },
    { file: "sessions/plan.ts", text: `import { limit } from "../domain/limit.ts"\nexport const plan = limit\n` },
    { file: "test/unit/domain/limit.test.ts", text: test("../../../domain/limit.ts") },
    { file: "test/unit/sessions/plan.test.ts", text: `import { plan } from "../../../sessions/plan.ts"\n` },
    { file: "test/unit/domain/text.process.test.ts", text: `const other = "nothing"\n` },
    { file: "test/unit/tooling/limit.test.ts", text: test("../../../domain/limit.ts") },
    { file: "test/workflow/run.test.ts", text: "it()\n" },
  ])

  it("are those that import its file, directly or not, the mirror of the file first", () => {
    expect(find("domain/limit.ts")).toEqual([
      { projects: ["unit", "io"], files: ["test/unit/domain/limit.test.ts", "test/unit/sessions/plan.test.ts"] },
      { projects: ["workflow"], files: ["test/workflow/run.test.ts"] },
    ])
  })

  it("begin with those that caught it before", () => {
    const [first] = find("domain/limit.ts", { first: ["test/workflow/run.test.ts"] })
    expect(first).toEqual({ projects: ["workflow"], files: ["test/workflow/run.test.ts"] })
  })
})

describe("the report", () => {
  const caught: TriedFault = {
    ...{ area: "limits", name: "one" },
    outcome: { at: "caught", file: "test/unit/a.test.ts", title: "a › b" },
  }
  const slipped: TriedFault = { area: "limits", name: "two", outcome: { at: "slipped", files: 4 } }
  const unclear: TriedFault = { area: "page", name: "three", outcome: { at: "unclear", reason: "no build" } }

  it("has a line for each fault, and a row for each area", () => {
    expect([caught, slipped, unclear].map(faultLine)).toEqual([
      "limits: one: caught by test/unit/a.test.ts › a › b",
      "limits: two: SLIPPED through 4 test files",
      "page: three: UNCLEAR: no build",
    ])
    const rows = areaTable([caught, slipped, unclear]).split("\n")
    expect(rows.map((row) => row.trim().split(/\s+/))).toEqual([
      ["area", "faults", "caught", "slipped", "unclear"],
      ["limits", "2", "1", "1", "0"],
      ["page", "1", "0", "0", "1"],
      ["all", "3", "1", "1", "1"],
    ])
  })

  it("names what an earlier run caught and this one did not", () => {
    const lost = { ...caught, outcome: slipped.outcome }
    expect(lostLines([caught, slipped], [lost, slipped])).toEqual(["one: was caught by test/unit/a.test.ts › a › b"])
  })

  it("has the first failed test of each file, also of one that cannot be loaded", () => {
    const modules = [
      module("test/b.test.ts", "failed", [], "no such module\n at x"),
      module("test/a.test.ts", "failed", ["limit > narrows", "limit > ends"]),
      module("test/c.test.ts", "passed", []),
    ]
    expect(failuresOf(modules, ["test/a.test.ts", "test/b.test.ts"])).toEqual([
      { file: "test/a.test.ts", title: "limit > narrows" },
      { file: "test/b.test.ts", title: "the file fails: no such module" },
    ])
  })

  it("distinguishes an error of the cache of vitest from a file that the fault breaks", () => {
    const failed = (message: string) =>
      failuresOf([module("test/a.test.ts", "failed", [], message)], ["test/a.test.ts"]).map(isOfCache)
    const cache =
      'Internal server error: Soft-invalidated module "/domain/limit.ts" should not have existing transform result'
    expect(failed(cache)).toEqual([true])
    expect(failed("no such module")).toEqual([false])
  })
})
