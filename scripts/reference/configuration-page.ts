import { configSchema } from "../../contracts/config/config.ts"
import { hookEventSchema } from "../../contracts/config/config-services.ts"
import { type ConfigKey, configKeyAt, configKeysBelow, type ConfigKeys } from "./config-keys.ts"
import { alternatives, bullet, code, type Page, wrap } from "./markdown.ts"

const sections = Object.entries(configSchema.shape).map(([name, schema]) => ({
  name,
  description: schema.description,
  type: configKeyAt(schema, name).type,
  ...configKeysBelow(schema, name),
}))

/** Returns the paths of the keys that have no description. */
export const undescribedKeys = (): readonly string[] =>
  sections.flatMap(({ name, description, keys, variants }) => [
    ...(description === undefined ? [name] : []),
    ...[...keys, ...variants.flatMap((variant) => variant.keys)].flatMap((key) =>
      key.description === undefined ? [key.path] : [],
    ),
    ...variants.flatMap((variant) => (variant.description === undefined ? [`${variant.path} (${variant.label})`] : [])),
  ])

const keyText = ({ path, type, defaultValue, isRequired, description }: ConfigKey): string => {
  const isEmpty = defaultValue === "{}" || defaultValue === "[]"
  const fallback = defaultValue === undefined || isEmpty ? "" : `; default: ${code(defaultValue)}`
  return bullet(`${code(path)}: ${type}${isRequired ? "; required" : fallback}. ${description ?? ""}`)
}

const listOf = (keys: readonly ConfigKey[]): string => keys.map(keyText).join("\n")

const bodyOf = ({ keys, variants }: ConfigKeys): readonly string[] => [
  listOf(keys),
  ...variants.flatMap((variant) => [
    `### ${code(variant.path)} with ${code(variant.label)}`,
    wrap(variant.description ?? ""),
    listOf(variant.keys),
  ]),
]

const hookPoints = wrap(`The hook points are ${alternatives(hookEventSchema.options.map(code))}.`)

/** Returns the page of every configuration key, from the schemas. */
export const configurationPage = (): Page => ({
  title: "Configuration reference",
  blocks: [
    wrap(
      "Every key of `adjutant.config.yaml`. All keys are optional unless they are marked as required; a section applies only if it is present. An unknown key is an error. Keys that end in `Env` contain the name of an environment variable, never its value. [Configuration](../configuration.md) explains how the parts work together.",
    ),
    ...sections.flatMap(({ name, type, description, ...below }) => [
      `## ${code(name)}`,
      wrap(`${description ?? ""} Type: ${type}.`),
      ...(name === "hooks" ? [hookPoints] : []),
      ...bodyOf(below),
    ]),
  ],
})
