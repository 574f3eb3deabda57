/** A name in camel case as the wire and the database write it. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** Returns a name in camel case as the wire and the database write it: `parentId` is `parent_id`. */
export const snakeCase = <Name extends string>(name: Name): SnakeCase<Name> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type says the same of each letter
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>
