/** What is known of a pending call to everybody who may decide it. */
interface ShownCall {
  readonly id: string
  /** Whether it changes a protected path, or asks to leave its sandbox. */
  readonly isProtected?: boolean | undefined
  readonly preview?: { readonly confined?: boolean | undefined } | null | undefined
}

/** Returns whether a model that is a client may not approve a call: it changes a protected path, or runs commands that no sandbox confines. */
export const needsPerson = ({ isProtected, preview }: ShownCall): boolean =>
  isProtected === true || preview?.confined === false

/** Returns the refusal of an approval by a model. */
export const onlyPersonText = (ids: readonly string[]): string =>
  `only a person can approve ${ids.join(", ")}: calls that change protected files, leave the sandbox, or run where there is none`
