/**
 * The result of checking an argument of a signal or update. The checks are written by hand, since the workflow bundle does not contain zod, and are
 * tested against the schemas of contracts/. They return problems as text instead of throwing: a malformed signal must never fail a workflow task.
 */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

export const passed = <T>(value: T): Checked<T> => ({ ok: true, value })
export const failed = (problem: string): Checked<never> => ({ ok: false, problem })
