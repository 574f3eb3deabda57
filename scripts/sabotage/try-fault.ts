import { type Stage, steadyProjects } from "./affected-tests.ts"
import { type Fault, withFault } from "./fault.ts"
import type { RunStage } from "./run-stage.ts"

export type Outcome =
  | { readonly at: "caught"; readonly file: string; readonly title: string }
  /** `files`: how many test files ran and passed. */
  | { readonly at: "slipped"; readonly files: number }
  /** It says nothing about the tests: the fault could not be applied, or vitest did not run. */
  | { readonly at: "unclear"; readonly reason: string }

export interface Workbench {
  /** A copy of the checkout that the fault is applied to, and restored. */
  readonly copy: string
  readonly runStage: RunStage
  /** Called after the file has changed: with the fault, and again without it. */
  readonly changed: (fault: Fault) => Promise<void>
}

const isSteady = ({ projects }: Stage): boolean => projects.every((project) => steadyProjects.includes(project))

/** Runs a stage until it passes or a test fails; one that is not steady has to fail twice. */
const runStage = async (workbench: Workbench, stage: Stage): Promise<Outcome | undefined> => {
  const { failures, problem } = await workbench.runStage(stage)
  const [first] = failures
  if (first === undefined) return problem === undefined ? undefined : { at: "unclear", reason: problem }
  const again = isSteady(stage) ? failures : (await workbench.runStage({ ...stage, files: [first.file] })).failures
  if (again.length > 0) return { at: "caught", ...first }
  const others = stage.files.filter((file) => file !== first.file)
  return others.length === 0 ? undefined : await runStage(workbench, { ...stage, files: others })
}

const runStages = async (workbench: Workbench, stages: readonly Stage[]): Promise<Outcome> => {
  for (const stage of stages) {
    const outcome = await runStage(workbench, stage)
    if (outcome !== undefined) return outcome
  }
  return { at: "slipped", files: new Set(stages.flatMap(({ files }) => files)).size }
}

/** Runs the stages with a fault, until a test fails. */
export const tryFault = async (workbench: Workbench, fault: Fault, stages: readonly Stage[]): Promise<Outcome> => {
  const { copy, changed } = workbench
  try {
    const outcome = await withFault(copy, fault, async () => {
      await changed(fault)
      return await runStages(workbench, stages)
    })
    await changed(fault)
    return outcome
  } catch (error) {
    return { at: "unclear", reason: error instanceof Error ? error.message : String(error) }
  }
}
