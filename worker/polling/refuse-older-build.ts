import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isOlderBuild, lackingPatches, type WorkflowBuild } from "../../domain/engine/workflow-build.ts"

/**
 * Refuses to execute the workflows of a store that a later build has executed last.
 * @throws AdjutantError `no_worker`
 */
export const refuseOlderBuild = (own: WorkflowBuild, current: WorkflowBuild | undefined): void => {
  if (current === undefined || !isOlderBuild(own, current)) return
  const lacking = lackingPatches(own, current)
  const [were, is] =
    lacking.length > 0 && own.version === current.version
      ? [`a build of Adjutant ${current.version} with the changes ${lacking.join(", ")}`, "which this build lacks"]
      : [`Adjutant ${current.version}`, `and this is ${own.version}`]
  throw new AdjutantError(
    "no_worker",
    `the sessions of this store were last executed by ${were}, ${is}: ` +
      "use that version or a later one, or start `adjutant dev` or `adjutant worker` of this version to go back to it",
  )
}
