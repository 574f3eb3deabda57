import { basename, dirname, isAbsolute, join } from "node:path"
import { readLink } from "../disk/list-directory.ts"

export interface LinkSteps {
  /** The links on the way, in the order in which they are followed. */
  readonly links: readonly string[]
  /** Where the path leads; it may not exist. */
  readonly real: string
}

/** Links that are followed for one path, as many as Linux follows. */
export const maxLinks = 40

const segmentsOf = (path: string): readonly string[] => path.split("/").filter((each) => each !== "" && each !== ".")

/** Follows an absolute path link by link: if one of the links is replaced, the path leads elsewhere. */
export const linkSteps = async (path: string): Promise<LinkSteps> => {
  const links: string[] = []
  let at = "/"
  let rest = segmentsOf(path)
  for (let name = rest[0]; name !== undefined; name = rest[0]) {
    rest = rest.slice(1)
    const next = name === ".." ? dirname(at) : join(at, name)
    const target = links.length < maxLinks ? await readLink(next).catch(() => undefined) : undefined
    if (target === undefined) {
      at = next
      continue
    }
    links.push(next)
    if (isAbsolute(target)) at = "/"
    rest = [...segmentsOf(target), ...rest]
  }
  return { links, real: at }
}

/** Returns where paths lead; what does not exist is in the folder to which its own leads. */
export const realPaths = (paths: readonly string[]): Promise<readonly string[]> => {
  const folders = new Map<string, Promise<LinkSteps>>()
  const folderOf = (path: string): Promise<LinkSteps> => {
    const known = folders.get(path) ?? linkSteps(path)
    folders.set(path, known)
    return known
  }
  return Promise.all(
    paths.map(async (path) => {
      const place = join((await folderOf(dirname(path))).real, basename(path))
      const isLink = await readLink(place).then(
        () => true,
        () => false,
      )
      return isLink ? (await linkSteps(place)).real : place
    }),
  )
}
