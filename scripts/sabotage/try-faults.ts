import type { FindTests, Stage } from "./affected-tests.ts"
import type { Fault } from "./fault.ts"
import type { TriedFault } from "./report.ts"
import type { RunStage } from "./run-stage.ts"
import { tryFault, type Workbench } from "./try-fault.ts"

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

const without = (stages: readonly Stage[], unsound: ReadonlySet<string>): readonly Stage[] =>
  stages
    .map((stage) => ({ ...stage, files: stage.files.filter((file) => !unsound.has(file)) }))
    .filter(({ files }) => files.length > 0)

/** Every project with tests of a stage. */
const allProjects = ["unit", "io", "process", "workflow", "e2e", "deep"]

/**
 * Tries faults one after another, then runs the tests that failed without any fault, all at once. A test that fails there, too, has caught nothing: its
 * faults are tried again without it.
 */
export const tryFaults = async (trial: Trial, chosen: readonly ChosenFault[]): Promise<readonly TriedFault[]> => {
  const results = new Map<string, TriedFault>()
  const sound = new Set<string>()
  const unsound = new Set<string>()
  let open = chosen
  while (open.length > 0) {
    for (const { area, fault } of open) {
      const outcome = await tryFault(trial, fault, without(trial.findTests(fault.file, fault.name), unsound))
      const tried = { area, name: fault.name, outcome }
      results.set(fault.name, tried)
      await trial.report(tried)
    }
    const caughtBy = ({ fault: { name } }: ChosenFault): string => {
      const outcome = results.get(name)?.outcome
      return outcome?.at === "caught" ? outcome.file : ""
    }
    const files = [...new Set(open.map(caughtBy))].filter((file) => file !== "" && !sound.has(file))
    if (files.length === 0) break
    const { failures, problem } = await trial.runClean({ projects: allProjects, files })
    if (problem !== undefined) throw new Error(`the tests do not run without a fault: ${problem}`)
    for (const { file } of failures) unsound.add(file)
    for (const file of files) if (!unsound.has(file)) sound.add(file)
    open = open.filter((each) => unsound.has(caughtBy(each)))
  }
  return chosen.flatMap(({ fault }) => results.get(fault.name) ?? [])
}
