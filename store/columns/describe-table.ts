import type { Generated } from "kysely"
import { snakeCase, type SnakeCase } from "../../domain/text/snake-case.ts"
import type { Kind } from "./kinds.ts"

/** A column of a table: its kind, and what can be done with it. */
interface Column extends Pick<Kind<never, never>, "stored" | "isNullable"> {
  read(stored: unknown): unknown
  write(value: unknown): unknown
  /** Its name in the database; without one, that of its property in snake case. */
  readonly column?: string
  /** Who creates a row gives it. */
  readonly create?: "required" | "optional"
  readonly isPatched?: true
  /** What is erased with the session. */
  readonly isErased?: true
  /** Only the store itself reads it: it is no property of a row. */
  readonly isHidden?: true
  /** The database has a value for it where the statement gives none. */
  readonly isGenerated?: true
  /** It belongs to another table, which queries join. */
  readonly isJoined?: true
}

type Columns = Readonly<Record<string, Column>>

type NameOf<T extends Columns, P extends keyof T> = T[P] extends { readonly column: infer Name extends string }
  ? Name
  : SnakeCase<P & string>
type Stored<C extends Column> = ReturnType<C["write"]>
type Value<C extends Column> = ReturnType<C["read"]>
type IsHidden = { readonly isHidden: true }
type IsJoined = { readonly isJoined: true }
type IsErased = { readonly isErased: true }
type IsPatched = { readonly isPatched: true }
type IsCreated<Need> = { readonly create: Need }

/** A table with its columns. */
interface OfColumns {
  readonly columns: Columns
}

/** The table as queries see it. */
export type TableOf<D extends OfColumns> = {
  [
    P in keyof D["columns"] as D["columns"][P] extends IsJoined ? never : NameOf<D["columns"], P>
  ]: D["columns"][P] extends {
    readonly isGenerated: true
  }
    ? Generated<Stored<D["columns"][P]>>
    : Stored<D["columns"][P]>
}

/** A row as the code has it. */
export type RowOf<D extends OfColumns> = {
  readonly [P in keyof D["columns"] as D["columns"][P] extends IsHidden ? never : P]: Value<D["columns"][P]>
}

/** What a new row is created from. */
export type NewOf<D extends OfColumns> = {
  readonly [P in keyof D["columns"] as D["columns"][P] extends IsCreated<"required"> ? P : never]: Value<
    D["columns"][P]
  >
} & {
  readonly [P in keyof D["columns"] as D["columns"][P] extends IsCreated<"optional"> ? P : never]?: Value<
    D["columns"][P]
  >
}

/** The properties of a row that may change. */
export type PatchOf<D extends OfColumns> = {
  readonly [P in keyof D["columns"] as D["columns"][P] extends IsPatched ? P : never]?: Value<D["columns"][P]>
}

type StoredRow<T extends Columns, Property extends keyof T> = {
  readonly [P in keyof T as P extends Property ? NameOf<T, P> : never]: Stored<T[P]>
}
type Created<T extends Columns> = {
  [P in keyof T as T[P] extends IsJoined ? never : T[P] extends IsCreated<"required"> ? NameOf<T, P> : never]: Stored<
    T[P]
  >
} & {
  [P in keyof T as T[P] extends IsCreated<"optional"> ? NameOf<T, P> : never]?: Stored<T[P]>
}
type Patched<T extends Columns> = {
  [P in keyof T as T[P] extends IsPatched ? NameOf<T, P> : never]?: Stored<T[P]>
}
type Erased<T extends Columns> = { readonly [P in keyof T as T[P] extends IsErased ? NameOf<T, P> : never]: null }

export interface Described<T extends Columns> {
  readonly columns: T
  /** The names of its own columns in the database, by property. */
  readonly names: Readonly<Record<string, string>>
  readonly toRow: (stored: StoredRow<T, keyof RowOf<{ readonly columns: T }>>) => RowOf<{ readonly columns: T }>
  /** Reads some properties of a row. */
  readonly pick: <Property extends keyof RowOf<{ readonly columns: T }> & string>(
    properties: readonly Property[],
    stored: StoredRow<T, Property>,
  ) => Pick<RowOf<{ readonly columns: T }>, Property>
  /** Returns the columns of a new row that its creator gives. */
  readonly created: (values: NewOf<{ readonly columns: T }>) => Created<T>
  /** Returns the columns that a patch changes. */
  readonly changedBy: (patch: PatchOf<{ readonly columns: T }>) => Patched<T>
  /** What remains of the erased columns. */
  readonly erased: Erased<T>
}

type Entry = readonly [property: string, column: Column]

const columnName = ([property, { column }]: Entry): string => column ?? snakeCase(property)

const read = (entries: readonly Entry[], stored: object): object =>
  Object.fromEntries(
    entries.map((entry) => {
      const value: unknown = Reflect.get(stored, columnName(entry))
      return [entry[0], entry[1].read(value)]
    }),
  )

/** Returns the columns of the values that are given. */
const write = (entries: readonly Entry[], values: object): object =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const value: unknown = Reflect.get(values, entry[0])
      return value === undefined ? [] : [[columnName(entry), entry[1].write(value)]]
    }),
  )

/** Returns everything that follows from the list of a table's columns: its types, and how rows are read, written and erased. */
export const describeTable = <const T extends Columns>(columns: T): Described<T> => {
  const entries: readonly Entry[] = Object.entries(columns)
  const shown = entries.filter(([, { isHidden }]) => isHidden !== true)
  const own = entries.filter(([, { isJoined }]) => isJoined !== true)
  const created = own.filter(([, { create }]) => create !== undefined)
  const patched = own.filter(([, { isPatched }]) => isPatched === true)
  const erased = own.filter(([, { isErased }]) => isErased === true)
  const described = {
    columns,
    names: Object.fromEntries(own.map((entry) => [entry[0], columnName(entry)])),
    toRow: (stored: object) => read(shown, stored),
    pick: (properties: readonly string[], stored: object) =>
      read(
        shown.filter(([property]) => properties.includes(property)),
        stored,
      ),
    created: (values: object) => write(created, values),
    changedBy: (patch: object) => write(patched, patch),
    erased: Object.fromEntries(erased.map((entry) => [columnName(entry), null])),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types above say of each list of columns what the code does with it
  return described as unknown as Described<T>
}
