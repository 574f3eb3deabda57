import type { FindTests } from "./affected-tests.ts"
import type { Fault } from "./fault.ts"
import type { TriedFault } from "./report.ts"
import type { RunStage } from "./run-stage.ts"
import { type Outcome, tryFault, type Workbench } from "./try-fault.ts"

export interface ChosenFault {
  readonly area: string
  readonly fault: Fault
}

interface Trial extends Workbench {
  /** Runs tests in a copy without faults, where every test that failed has to pass. */
  readonly runClean: RunStage
  readonly findTests: (file: string, fault: string) => ReturnType<FindTests>
  readonly report: (tried: TriedFault) => Promise<void>
}

/** Every project with tests of a stage. */
const allProjects = ["unit", "io", "process", "workflow", "e2e", "deep"]

/** Runs the stage of a fault at this depth, without tests that catch nothing. `slipped`: every stage of it has passed. */
const tryAt = async (
  trial: Trial,
  { fault }: ChosenFault,
  { depth, unsound }: { readonly depth: number; readonly unsound: ReadonlySet<string> },
): Promise<Outcome | "passed"> => {
  const stages = trial.findTests(fault.file, fault.name)
  const stage = stages[depth]
  if (stage === undefined) return await tryFault(trial, fault, [])
  const files = stage.files.filter((file) => !unsound.has(file))
  const outcome = files.length === 0 ? undefined : await tryFault(trial, fault, [{ ...stage, files }])
  if (outcome !== undefined && outcome.at !== "slipped") return outcome
  return depth + 1 < stages.length ? "passed" : { at: "slipped", files: stages.flatMap((each) => each.files).length }
}

/**
 * Runs the first stage of every fault, then the second one of those that are left, and so on: most are caught early. After each round, the tests that
 * failed run without any fault, all at once. A test that fails there, too, has caught nothing: its faults are tried again without it.
 */
export const tryFaults = async (trial: Trial, chosen: readonly ChosenFault[]): Promise<readonly TriedFault[]> => {
  const results = new Map<string, TriedFault>()
  const sound = new Set<string>()
  const unsound = new Set<string>()
  const catcherOf = ({ fault }: ChosenFault): string | undefined => {
    const outcome = results.get(fault.name)?.outcome
    return outcome?.at === "caught" ? outcome.file : undefined
  }
  const confirm = async (caught: readonly ChosenFault[]): Promise<readonly ChosenFault[]> => {
    const files = [...new Set(caught.flatMap((each) => catcherOf(each) ?? []))].filter((file) => !sound.has(file))
    if (files.length === 0) return []
    const { failures, problem } = await trial.runClean({ projects: allProjects, files })
    if (problem !== undefined) throw new Error(`the tests do not run without a fault: ${problem}`)
    for (const { file } of failures) unsound.add(file)
    for (const file of files) if (!unsound.has(file)) sound.add(file)
    return caught.filter((each) => unsound.has(catcherOf(each) ?? ""))
  }
  let open = chosen
  for (let depth = 0; open.length > 0; depth += 1) {
    const left: ChosenFault[] = []
    for (let trying = open; trying.length > 0;) {
      const ended: ChosenFault[] = []
      for (const each of trying) {
        const outcome = await tryAt(trial, each, { depth, unsound })
        if (outcome === "passed") left.push(each)
        else {
          const tried = { area: each.area, name: each.fault.name, outcome }
          results.set(tried.name, tried)
          ended.push(each)
          await trial.report(tried)
        }
      }
      trying = await confirm(ended)
    }
    open = left
  }
  return chosen.flatMap(({ fault }) => results.get(fault.name) ?? [])
}
