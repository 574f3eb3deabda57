import { configSchema } from "../../contracts/config/config.ts"
import { hookEventSchema } from "../../contracts/config/config-services.ts"
import { commonKeys, isCommonKey } from "./common-keys.ts"
import { type ConfigKey, configKeyAt, configKeysBelow, type ConfigKeys, type ConfigVariant } from "./config-keys.ts"
import { alternatives, bullet, code, type Page, wrap } from "./markdown.ts"

const sections = Object.entries(configSchema.shape).map(([name, schema]) => ({
  name,
  description: schema.description,
  type: configKeyAt(schema, name).type,
  ...configKeysBelow(schema, name),
}))

/** Returns the paths of all keys. */
export const configPaths = (): readonly string[] =>
  sections.flatMap(({ keys, variants }) =>
    [...keys, ...variants.flatMap((variant) => variant.keys)].map(({ path }) => path),
  )

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

/** How many parts a key has that is directly below an entry, such as `models.<name>.model`. */
const partsOfEntry = 3

/** An entry does not work without what it requires. */
const isCommon = ({ path, isRequired }: ConfigKey): boolean =>
  isCommonKey(path) || (isRequired && path.split(".").length <= partsOfEntry)

/** Returns a list of keys, those that most people set before the others. */
const listOf = (keys: readonly ConfigKey[]): readonly string[] => {
  const [common, rare] = [keys.filter(isCommon), keys.filter((key) => !isCommon(key))]
  const lists = [common, rare].filter((each) => each.length > 0).map((each) => each.map(keyText).join("\n"))
  return lists.length < 2 ? lists : [lists[0] ?? "", "Less often:", lists[1] ?? ""]
}

/** Keys that fewer shapes have in common are listed with each of them. */
const fewestShapes = 3

/** Returns the keys that several shapes of a value have in common and few people set, by the labels of these shapes. */
const sharedKeys = (variants: readonly ConfigVariant[]) => {
  const entries = variants.flatMap(({ label, keys }) => keys.map((key) => ({ label, key })))
  const shared = [...Map.groupBy(entries, ({ key }) => keyText(key)).values()].flatMap((each) => {
    const [first] = each
    if (first === undefined || each.length < fewestShapes || isCommon(first.key)) return []
    return [{ key: first.key, labels: alternatives(each.map(({ label }) => code(label))) }]
  })
  const groups = Map.groupBy(shared, ({ labels }) => labels)
  return [...groups].map(([labels, each]) => ({ labels, keys: each.map(({ key }) => key) }))
}

const variantsOf = (variants: readonly ConfigVariant[]): readonly string[] => {
  const shared = sharedKeys(variants)
  const sharedTexts = new Set(shared.flatMap(({ keys }) => keys.map(keyText)))
  return [
    ...variants.flatMap(({ path, label, description, keys }) => [
      `### ${code(path)} with ${code(label)}`,
      wrap(description ?? ""),
      ...listOf(keys.filter((key) => !sharedTexts.has(keyText(key)))),
    ]),
    ...shared.flatMap(({ labels, keys }) => [
      wrap(`Less often, with ${labels} in ${code(variants[0]?.path ?? "")}:`),
      ...listOf(keys),
    ]),
  ]
}

const bodyOf = ({ keys, variants }: ConfigKeys): readonly string[] => [
  ...listOf(keys),
  ...[...Map.groupBy(variants, ({ path }) => path).values()].flatMap(variantsOf),
]

const commonList = Object.entries(commonKeys)
  .map(([section, paths]) => {
    const keys = paths.map((path) => code(path.replace(/^\w+(?:\.<[^>]*>)?(?:\[\])?\./, "")))
    return bullet(`[${code(section)}](#${section.toLowerCase()}): ${keys.join(", ")}`)
  })
  .join("\n")

const sectionText = ({ name, type, description, ...below }: (typeof sections)[number]): readonly string[] => [
  `## ${code(name)}`,
  wrap(`${description ?? ""} Type: ${type}.`),
  ...(name === "hooks" ? [hookPoints] : []),
  ...bodyOf(below),
]

const isCommonSection = ({ name }: (typeof sections)[number]): boolean => commonKeys[name] !== undefined

const hookPoints = wrap(`The hook points are ${alternatives(hookEventSchema.options.map(code))}.`)

/** Returns the page of every configuration key, from the schemas. */
export const configurationPage = (): Page => ({
  title: "Configuration reference",
  blocks: [
    wrap(
      "Every key of `adjutant.config.yaml`. All keys are optional unless they are marked as required; a section applies only if it is present. An unknown key is an error. Keys that end in `Env` contain the name of an environment variable, never its value. [Configuration](../configuration.md) explains how the parts work together.",
    ),
    "## What most people set",
    wrap("These keys are enough for most projects. Their sections come first, and in each of them these keys."),
    commonList,
    ...Object.keys(commonKeys).flatMap((name) => sections.filter((each) => each.name === name).flatMap(sectionText)),
    ...sections.filter((each) => !isCommonSection(each)).flatMap(sectionText),
  ],
})
