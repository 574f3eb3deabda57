import { isInside } from "../../domain/workspace/is-inside.ts"

interface Holder {
  readonly tree: string
  readonly done: Promise<unknown>
}

const holders = new Set<Holder>()

const overlap = (left: string, right: string): boolean => isInside(left, right) || isInside(right, left)

/**
 * Runs work on a directory tree when all earlier work on the same tree, or on a part of it, has ended. Commands that overlap in time see one state of
 * the protected files, since they begin and end one after another.
 *
 * @param tree absolute and real
 */
export const withTree = async <Result>(tree: string, work: () => Promise<Result>): Promise<Result> => {
  const earlier = [...holders].filter((holder) => overlap(holder.tree, tree)).map(({ done }) => done)
  const { promise, resolve } = Promise.withResolvers<void>()
  const holder = { tree, done: promise }
  holders.add(holder)
  try {
    await Promise.all(earlier)
    return await work()
  } finally {
    holders.delete(holder)
    resolve()
  }
}
