const flag = /^(?:true|false|always|yes|no|on|off|\d{1,9})$/i
const plainName = /^[\w.][\w./+-]*$/
const location = /^(?:(?:https?|ssh|git):\/\/[\w[][^\s\\]*|[\w.]+@[\w.-]+:[\w./~][^\s\\]*|\.{0,2}\/[^\s\\:]*)$/
const refs = /^\+?refs\/[\w./*+-]+:refs\/[\w./*+-]+$/
const words = /^[^\\"#;`$|&<>!]{1,200}$/

/** Keys that run nothing and name no file that git obeys, with the values that they can have, by section. */
const harmlessKeys: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  core: {
    repositoryformatversion: flag,
    filemode: flag,
    bare: flag,
    logallrefupdates: flag,
    ignorecase: flag,
    precomposeunicode: flag,
    symlinks: flag,
    sparsecheckout: flag,
    sparsecheckoutcone: flag,
    worktree: /^[^\\"#;]+$/,
  },
  extensions: { worktreeconfig: flag, objectformat: plainName, refstorage: plainName, partialclone: plainName },
  remote: {
    url: location,
    pushurl: location,
    fetch: refs,
    tagopt: /^--(?:no-)?tags$/,
    promisor: flag,
    partialclonefilter: /^[\w:=+%-]+$/,
  },
  branch: { remote: plainName, merge: plainName, rebase: flag },
  submodule: { url: location, active: flag, branch: plainName },
  user: { name: words, email: words },
}

const sectionLine = /^\[([A-Za-z][A-Za-z-]*)(?: "[^"\\]*")?\]$/
const keyLine = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/

interface Setting {
  readonly section: string
  readonly key: string
  readonly value: string
  /** The line of the section and its own. */
  readonly text: string
  readonly isHarmless: boolean
}

/** Returns the settings of a configuration; undefined if a line of it is not understood. A value that continues on the next line is not. */
const settingsOf = (text: string): readonly Setting[] | undefined => {
  const settings: Setting[] = []
  let section = { name: "", line: "" }
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    const [, name] = sectionLine.exec(line) ?? []
    if (name !== undefined) {
      section = { name: name.toLowerCase(), line }
      continue
    }
    const [, written, value = ""] = keyLine.exec(line) ?? []
    if (written === undefined || line.endsWith("\\")) return undefined
    const key = written.toLowerCase()
    const keys = Object.hasOwn(harmlessKeys, section.name) ? harmlessKeys[section.name] : undefined
    const pattern = keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined
    const isHarmless = pattern?.test(value) === true
    settings.push({ section: section.name, key, value, text: `${section.line} ${line}`, isHarmless })
  }
  return settings
}

const isWorktree = ({ section, key }: Setting): boolean => section === "core" && key === "worktree"

/**
 * Returns the working trees that a configuration of git names, if nothing in it makes git run a program or read other files for instructions, as in
 * those that `git init`, `git clone` and `git worktree` write; undefined if it may. What is not understood counts as harmful.
 */
export const worktreesOfHarmlessConfig = (text: string): readonly string[] | undefined => {
  const settings = settingsOf(text)
  if (settings === undefined || settings.some(({ isHarmless }) => !isHarmless)) return undefined
  return settings.filter(isWorktree).map(({ value }) => value)
}

/** Returns whether two configurations of git have the same settings, in the same order, apart from those that run nothing. */
export const isHarmlessConfigChange = (before: string, after: string): boolean => {
  const [left, right] = [settingsOf(before), settingsOf(after)].map((settings) =>
    settings?.filter((setting) => !setting.isHarmless || isWorktree(setting)).map(({ text }) => text),
  )
  if (left === undefined || right === undefined) return false
  return left.length === right.length && left.every((text, index) => text === right[index])
}
