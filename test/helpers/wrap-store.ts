import type { Store } from "../../store/store.ts"

type Call = () => unknown

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * The same store with something around every method: `around` gets its name (`claims.finish`), its arguments and the call itself. `events.follow`
 * and `close` stay as they are.
 */
export const wrapStore = (
  store: Store,
  around: (method: string, args: readonly unknown[], call: Call) => unknown,
): Store => {
  const wrapPart = (part: object, partName: string): object =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== "function" || typeof name !== "string" || name === "follow") return value
        return (...args: readonly unknown[]) =>
          around(`${partName}.${name}`, args, () => Reflect.apply(value, target, args) as unknown)
      },
    })
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      return isRecord(value) && typeof name === "string" ? wrapPart(value, name) : value
    },
  })
}
