import { fromIso, toIso } from "./iso-time.ts"
import { fromJson, fromJsonOrNull, toJson, toJsonObject } from "./json-column.ts"

/** How the database stores a value, and what the code makes of it. */
export interface Kind<Stored, Value> {
  readonly stored: "text" | "number"
  readonly isNullable: boolean
  readonly read: (stored: Stored) => Value
  readonly write: (value: Value) => Stored
}

const asIs = <T>(stored: "text" | "number"): Kind<T, T> => ({
  stored,
  isNullable: false,
  read: (value) => value,
  write: (value) => value,
})

export const text = asIs<string>("text")
export const number = asIs<number>("number")

/** Milliseconds since the epoch; the code has ISO 8601 times. */
export const time: Kind<number, string> = { stored: "number", isNullable: false, read: toIso, write: fromIso }

/** A truth value, as 0 or 1. */
export const flag: Kind<number, boolean> = {
  stored: "number",
  isNullable: false,
  read: (stored) => Number(stored) === 1,
  write: Number,
}
export const json = <T>(): Kind<string, T> => ({ stored: "text", isNullable: false, read: fromJson<T>, write: toJson })

type JsonObject = Readonly<Record<string, unknown>>

const readObject = (stored: string | null): JsonObject => fromJsonOrNull<JsonObject>(stored) ?? {}

/** A JSON object. An erased one is read as an empty one. */
export const jsonObject: Kind<string | null, JsonObject> = {
  stored: "text",
  isNullable: true,
  read: readObject,
  write: toJson,
}

/** A JSON object that is null where it is empty. */
export const sparseObject: Kind<string | null, JsonObject> = { ...jsonObject, write: toJsonObject }

/** Returns the kind of a name among those of a schema. Reading throws for any other one. */
export const oneOf = <Name extends string>(schema: {
  readonly parse: (value: unknown) => Name
}): Kind<string, Name> => ({
  stored: "text",
  isNullable: false,
  read: (value) => schema.parse(value),
  write: (value) => value,
})

/** Returns the kind of a name of a list. Reading throws for any other one. */
export const nameOf = <Name extends string>(names: readonly Name[]): Kind<string, Name> =>
  oneOf({
    parse: (value) => {
      const name = names.find((each) => each === value)
      if (name === undefined) throw new Error(`the database contains ${String(value)} instead of ${names.join(", ")}`)
      return name
    },
  })

export const orNull = <Stored, Value>(kind: Kind<Stored, Value>): Kind<Stored | null, Value | null> => ({
  stored: kind.stored,
  isNullable: true,
  read: (value) => (value === null ? null : kind.read(value)),
  write: (value) => (value === null ? null : kind.write(value)),
})
