/** Types of the product's own failures are codes such as `max_steps`; those of bugs are class names. */
const isCode = (type: unknown): boolean => typeof type === "string" && /^[a-z]+(_[a-z]+)*$/.test(type)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Throws where a failure that the product raised on purpose is stored with a stack trace, however deep in a history. */
export const refuseExpectedStacks = (value: unknown): void => {
  if (!isRecord(value) || value instanceof Uint8Array) return
  const { applicationFailureInfo: info, stackTrace } = value
  if (isRecord(info) && isCode(info["type"]) && stackTrace !== undefined && stackTrace !== null && stackTrace !== "")
    throw new Error(`a failure of type ${String(info["type"])} is stored with its stack trace`)
  for (const inner of Object.values(value)) refuseExpectedStacks(inner)
}
