/** Returns the warning about an approval of all calls that does not include these. */
export const namedApprovalText = (ids: readonly string[]): string =>
  `calls that change protected files or leave the sandbox are still pending: approve ${ids.join(", ")} by id`
