import { startsProcesses } from "./process-sandbox.ts"

/** What is known of a pending call to everybody who may decide it. */
interface ShownCall {
  readonly id: string
  readonly name: string
  /** Whether it changes a protected path, or asks to leave its sandbox. */
  readonly isProtected?: boolean | undefined
  readonly preview?: { readonly confined?: boolean | undefined } | null | undefined
}

/**
 * Returns whether a model that is a client may not approve a call: it changes a protected path, or runs commands that no sandbox confines. Without a preview,
 * nobody knows that one would.
 */
export const needsPerson = ({ name, isProtected, preview }: ShownCall): boolean =>
  isProtected === true || (startsProcesses(name) && preview?.confined !== true)

/** Returns the refusal of an approval by a model. */
export const onlyPersonText = (ids: readonly string[]): string =>
  `only a person can approve ${ids.join(", ")}: calls that change protected files, leave the sandbox, or run where there is none`
