const longest = 8_000

const short = (value: unknown): unknown => {
  if (typeof value === "string") return value.length <= longest ? value : `${value.slice(0, longest)}… (cut)`
  if (Array.isArray(value)) return value.map(short)
  return typeof value === "object" && value !== null ? shortened(value) : value
}

/** The same with long texts cut: a message for people, whose receiver may limit its size. */
export const shortened = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, short(each)]))
