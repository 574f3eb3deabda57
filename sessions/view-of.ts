import { snakeCase, type SnakeCase } from "../domain/text/snake-case.ts"

type Names = Readonly<Record<string, string>>
type NameOf<Property, Named extends Names> = Property extends keyof Named
  ? Named[Property]
  : SnakeCase<Property & string>

/** The fields of a row by the names that adapters show. */
type Wire<Row, Named extends Names> = { readonly [P in keyof Row as NameOf<P, Named>]: Row[P] }

type View<Field extends string, Row, Named extends Names, Computed> = {
  [F in Field]: F extends keyof Computed
    ? Computed[F]
    : F extends keyof Wire<Row, Named>
      ? Wire<Row, Named>[F]
      : unknown
}

interface From<Row, Named extends Names, Computed> {
  readonly row: Row
  /** Fields whose names are not those of the row in snake case, by property of the row. */
  readonly named?: Named
  /** What is not in the row, or shown otherwise than it is there. */
  readonly computed: Computed
}

/** Returns the fields of a row that adapters show, in their order. A field that is not computed is that of the row. */
export const viewOf = <
  Field extends string,
  Row extends object,
  Computed extends object,
  const Named extends Names = Record<"", string>,
>(
  fields: readonly Field[],
  { row, named, computed }: From<Row, Named, Computed>,
): View<Field, Row, Named, Computed> => {
  const byName = new Map(
    Object.entries(row).map(([property, value]): [string, unknown] => [
      named?.[property] ?? snakeCase(property),
      value,
    ]),
  )
  for (const [field, value] of Object.entries(computed)) byName.set(field, value)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type names each field as the map does
  return Object.fromEntries(fields.map((field) => [field, byName.get(field)])) as View<Field, Row, Named, Computed>
}
