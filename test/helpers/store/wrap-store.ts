import type { Store, WritableStore } from "../../../store/store.ts"

type Around = (method: string, args: readonly unknown[], call: () => unknown) => unknown

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const wrapPart = (part: object, partName: string, around: Around): object =>
  new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function" || typeof name !== "string" || name === "follow") return value
      return (...args: readonly unknown[]) =>
        around(`${partName}.${name}`, args, () => Reflect.apply(value, target, args) as unknown)
    },
  })

const wrapParts = <Parts extends WritableStore>(store: Parts, around: Around): Parts =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      return isRecord(value) && typeof name === "string" ? wrapPart(value, name, around) : value
    },
  })

/**
 * Returns the same store with `around` called for every method: it receives the method's name
 * (`claims.finish`, `transaction`), its arguments and the call itself. The methods inside a transaction are
 * wrapped as well; `events.follow`, `secret` and `close` are not.
 */
export const wrapStore = (store: Store, around: Around): Store => {
  const transaction = (body: (writes: WritableStore) => Promise<unknown>, outlasts?: "crash" | "power-cut"): unknown =>
    around("transaction", [], () => store.transaction((writes) => body(wrapParts(writes, around)), outlasts))
  return new Proxy(wrapParts(store, around), {
    get: (target, name) => (name === "transaction" ? transaction : (Reflect.get(target, name) as unknown)),
  })
}
