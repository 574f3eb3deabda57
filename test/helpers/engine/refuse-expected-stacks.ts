/** The product's own failures have codes such as `max_steps` as types; bugs have class names. */
const isCode = (type: unknown): boolean => typeof type === "string" && /^[a-z]+(_[a-z]+)*$/.test(type)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * Throws if a failure that the product raised on purpose is stored with a stack trace, at any depth of a
 * history.
 */
export const refuseExpectedStacks = (value: unknown): void => {
  if (!isRecord(value) || value instanceof Uint8Array) return
  const { applicationFailureInfo: info, stackTrace } = value
  if (isRecord(info) && isCode(info["type"]) && stackTrace !== undefined && stackTrace !== null && stackTrace !== "")
    throw new Error(`a failure of type ${String(info["type"])} is stored with its stack trace`)
  for (const inner of Object.values(value)) refuseExpectedStacks(inner)
}
