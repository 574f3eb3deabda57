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

/**
 * Returns the working trees that a configuration of git names, if nothing in it makes git run a program or read other files for instructions, as in
 * those that `git init`, `git clone` and `git worktree` write; undefined if it may. What is not understood counts as harmful.
 */
export const worktreesOfHarmlessConfig = (text: string): readonly string[] | undefined => {
  const worktrees: string[] = []
  let section = ""
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    const [, name] = sectionLine.exec(line) ?? []
    if (name !== undefined) {
      section = name.toLowerCase()
      continue
    }
    const [, key = "", value = ""] = keyLine.exec(line) ?? []
    const keys = Object.hasOwn(harmlessKeys, section) ? harmlessKeys[section] : undefined
    const pattern = keys !== undefined && Object.hasOwn(keys, key.toLowerCase()) ? keys[key.toLowerCase()] : undefined
    if (pattern === undefined || !pattern.test(value)) return undefined
    if (section === "core" && key.toLowerCase() === "worktree") worktrees.push(value)
  }
  return worktrees
}
