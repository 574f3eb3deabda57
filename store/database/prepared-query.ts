import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from "kysely"
import type { Reader } from "./database.ts"

/** Marks the place of a value in the parameters of a query that is built once. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Returns an object whose fields are places instead of values. */
const placesOf = <Values extends object>(): Values =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kysely takes any object as a parameter, and looks into none
  new Proxy({}, { get: (_, name) => new Place(String(name)) }) as Values

type Prepared<Values extends object, Row> = (db: Reader, values: Values, shape?: string) => Promise<QueryResult<Row>>

/**
 * Returns a query that is built and compiled at its first use and then only sent, since building one costs more than executing it. `build` may only pass its
 * values on: it gets places for them. A query that has several forms is built once for each `shape`.
 */
export const prepared = <Values extends object, Row>(
  build: (db: Reader, values: Values, shape: string) => Compilable<Row>,
): Prepared<Values, Row> => {
  const compiled = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Row>>>()
  return (db, values, shape = "") => {
    const { adapter } = db.getExecutor()
    const queries = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>()
    compiled.set(adapter, queries)
    const query = queries.get(shape) ?? build(db, placesOf<Values>(), shape).compile()
    queries.set(shape, query)
    const parameters = query.parameters.map((value): unknown =>
      value instanceof Place ? Reflect.get(values, value.name) : value,
    )
    return db.executeQuery({ ...query, parameters })
  }
}

/** Returns whether a query has inserted, changed or deleted a row. */
export const hasChanged = ({ numAffectedRows = 0n }: QueryResult<unknown>): boolean => numAffectedRows > 0n
