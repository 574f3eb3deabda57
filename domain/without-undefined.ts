/** Returns the fields without those that are undefined. */
export const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (isDefined(value)) kept[name] = value
  }
  return kept
}

const isDefined = <V>(value: V): value is Exclude<V, undefined> => value !== undefined
