import type { ImportEdge } from "./import-graph.ts"

/** Sub-folders of one layer that import each other, directly or over others. */
export interface FolderCircle {
  readonly layer: string
  readonly folders: readonly string[]
  /** Without these imports, the folders form no circle: the fewest that a short search finds. */
  readonly cuts: readonly ImportEdge[]
}

/** Returns the sub-folder of its layer that a file is in, at any depth; undefined for a file directly in the layer. */
export const subFolderOf = (file: string): string | undefined => {
  const [layer, folder, ...rest] = file.split("/")
  return rest.length === 0 ? undefined : `${layer}/${folder}`
}

export const layerOf = (file: string): string => file.split("/", 1)[0] ?? ""

interface FolderEdge {
  readonly from: string
  readonly to: string
  readonly edge: ImportEdge
}

const folderEdges = (edges: readonly ImportEdge[]): readonly FolderEdge[] =>
  edges.flatMap((edge) => {
    const [from, to] = [subFolderOf(edge.from), subFolderOf(edge.to)]
    const isInside = layerOf(edge.from) === layerOf(edge.to) && edge.kind !== "lazy"
    return isInside && from !== undefined && to !== undefined && from !== to ? [{ from, to, edge }] : []
  })

/** Returns the folders that can be reached from a folder over one or more imports. */
const reachFrom = (start: string, next: ReadonlyMap<string, readonly FolderEdge[]>): ReadonlySet<string> => {
  const reached = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop())
    for (const { to } of next.get(folder) ?? [])
      if (!reached.has(to)) {
        reached.add(to)
        open.push(to)
      }
  return reached
}

/** Returns the groups of folders that reach each other. */
const circlesOf = (edges: readonly FolderEdge[]): readonly (readonly string[])[] => {
  const next = Map.groupBy(edges, ({ from }) => from)
  const reach = new Map([...next.keys()].map((folder) => [folder, reachFrom(folder, next)]))
  const reaches = (from: string, to: string): boolean => reach.get(from)?.has(to) ?? false
  const inCircle = [...next.keys()].filter((folder) => reaches(folder, folder)).toSorted()
  return [
    ...Map.groupBy(inCircle, (folder) =>
      inCircle.find((other) => reaches(other, folder) && reaches(folder, other)),
    ).values(),
  ]
}

/** Returns the imports that go up, from an earlier folder of the order to a later one. */
const upward = (order: readonly string[], edges: readonly FolderEdge[]): readonly FolderEdge[] =>
  edges.filter(({ from, to }) => order.includes(from) && order.indexOf(from) < order.indexOf(to))

/** Moves one folder after another in the order, as long as fewer imports go up then. */
const cutsOf = (folders: readonly string[], edges: readonly FolderEdge[]): readonly ImportEdge[] => {
  let order = folders
  let cuts = upward(order, edges)
  for (let before = Infinity; cuts.length < before;) {
    before = cuts.length
    for (const folder of folders)
      for (const at of folders.keys()) {
        const moved = order.filter((each) => each !== folder).toSpliced(at, 0, folder)
        const fewer = upward(moved, edges)
        if (fewer.length < cuts.length) [order, cuts] = [moved, fewer]
      }
  }
  return cuts.map(({ edge }) => edge)
}

/** Returns the circles of sub-folders inside each layer, by imports of values and of types. A lazy `import()` does not count. */
export const folderCircles = (edges: readonly ImportEdge[]): readonly FolderCircle[] => {
  const between = folderEdges(edges)
  return circlesOf(between).map((folders) => ({
    layer: layerOf(folders[0] ?? ""),
    folders,
    cuts: cutsOf(
      folders,
      between.filter(({ from, to }) => folders.includes(from) && folders.includes(to)),
    ),
  }))
}

/** Returns the files directly in a layer that import a sub-folder and are imported by one: neither the layer's base nor its composition. */
export const filesInBetween = (edges: readonly ImportEdge[]): readonly string[] => {
  const inside = edges.filter(({ from, to, kind }) => layerOf(from) === layerOf(to) && kind !== "lazy")
  const users = new Set(inside.filter(({ to }) => subFolderOf(to) !== undefined).map(({ from }) => from))
  const used = new Set(inside.filter(({ from }) => subFolderOf(from) !== undefined).map(({ to }) => to))
  return [...users].filter((file) => subFolderOf(file) === undefined && used.has(file)).toSorted()
}
