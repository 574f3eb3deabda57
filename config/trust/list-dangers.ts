import type { Config } from "../../contracts/config/config.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { type DangerKind, dangers, type RuleContext } from "./trust-rule.ts"
import { trustRules } from "./trust-rules.ts"

/** A key of a configuration that needs trust. */
export interface Danger {
  readonly path: readonly PropertyKey[]
  readonly kind: DangerKind
  readonly value: unknown
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0)

const entriesOf = (value: unknown): readonly (readonly [PropertyKey, unknown])[] => {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item] as const)
  return isRecord(value) ? Object.entries(value) : []
}

/** Returns the rules of a part; undefined if nothing classifies it. */
const ruleBelow = (rules: unknown, key: PropertyKey): unknown => {
  if (!isRecord(rules)) return undefined
  if (Object.hasOwn(rules, "each")) return rules["each"]
  return Object.hasOwn(rules, key) ? rules[String(key)] : undefined
}

type Place = Omit<RuleContext, "path">

const walk = (rules: unknown, path: readonly PropertyKey[], value: unknown, place: Place): readonly Danger[] => {
  if (rules === "harmless" || isEmpty(value)) return []
  if (isRecord(rules) && typeof value === "object")
    return entriesOf(value).flatMap(([key, inner]) => walk(ruleBelow(rules, key), [...path, key], inner, place))
  const kind: unknown = typeof rules === "function" ? rules(value, { ...place, path }) : rules
  return kind === undefined && typeof rules === "function"
    ? []
    : [{ path, kind: isKind(kind) ? kind : "unclassified", value }]
}

const isKind = (kind: unknown): kind is DangerKind => typeof kind === "string" && Object.hasOwn(dangers, kind)

/** Returns the keys of a configuration that need trust, in the order of the schema. A key without a rule needs trust, too. */
export const listDangers = (config: Config, unconfinedScripts: ReadonlySet<string>): readonly Danger[] =>
  walk(trustRules, [], config, { config, unconfinedScripts })
