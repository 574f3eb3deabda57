import type { z } from "zod"
import type { Config } from "../../contracts/config/config.ts"

/** Why a key needs trust: what it lets a project do that the user of the machine has not asked for. */
export const dangers = {
  program: "runs a program",
  commands: "may call Bash, which no sandbox confines",
  secret: "names a secret",
  server: "names a server",
  loosens: "loosens a limit on what agents can do",
  erases: "erases tasks that have ended",
  unclassified: "is not classified",
} as const
export type DangerKind = keyof typeof dangers

export interface RuleContext {
  readonly config: Config
  readonly path: readonly PropertyKey[]
  /** Scripts of models, as the configuration names them, that would run commands which no sandbox confines. */
  readonly unconfinedScripts: ReadonlySet<string>
}

/** Returns why a value needs trust; undefined if it needs none. */
type Judge<Value> = (value: Value, context: RuleContext) => DangerKind | undefined

/** How one key is classified: it never needs trust, it always does if it has a value, or it depends on the value. */
export type Rule<Value> = "harmless" | DangerKind | Judge<Value>

type Primitive = string | number | boolean | null | undefined
type AnyKey<T> = T extends unknown ? keyof T : never
type ValueAt<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never

/**
 * The classification of a part of the configuration. An object names every key that its schema has, those of all shapes together, so that a
 * new key does not compile before it is classified; `each` classifies the entries of lists and of maps.
 */
export type Rules<T> = [NonNullable<T>] extends [Primitive]
  ? Rule<NonNullable<T>>
  : [NonNullable<T>] extends [readonly (infer Item)[]]
    ? ([Item] extends [Primitive] ? Rule<NonNullable<T>> : never) | { readonly each: Rules<Item> }
    : string extends keyof NonNullable<T>
      ?
          | ([NonNullable<T>[keyof NonNullable<T>]] extends [Primitive] ? Rule<NonNullable<T>> : never)
          | ([z.core.util.JSONType] extends [NonNullable<T>[keyof NonNullable<T>]] ? Rule<NonNullable<T>> : never)
          | { readonly each: Rules<NonNullable<T>[keyof NonNullable<T>]> }
      : { readonly [Key in AnyKey<NonNullable<T>>]-?: Rules<ValueAt<NonNullable<T>, Key>> }
