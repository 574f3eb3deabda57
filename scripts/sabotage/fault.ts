import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"

/** A small deliberate defect in product code, such as a change could bring by mistake. */
export interface Fault {
  /** What the product does wrong with it; unique among all faults. */
  readonly name: string
  /** Relative to the root of the project. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** A test file that runs first: one that takes long, and that the order by names and imports would not reach. */
  readonly triedFirst?: string
}

export type FaultsByArea = Readonly<Record<string, readonly Fault[]>>

/** Returns why a fault cannot be applied to the text of its file; undefined if it can. */
export const misfitOf = ({ file, find, replace }: Omit<Fault, "name">, text: string): string | undefined => {
  const count = find === "" ? 0 : text.split(find).length - 1
  if (count === 0) return `not found in ${file}: ${find}`
  if (count > 1) return `found ${count} times in ${file}, so that it is unclear which is meant: ${find}`
  return find === replace ? `changes nothing in ${file}: ${find}` : undefined
}

const readText = async (root: string, file: string): Promise<string> => {
  try {
    return await readFile(path.join(root, file), "utf8")
  } catch (error) {
    throw new Error(`${file} cannot be read; adapt the fault to the file that replaced it`, { cause: error })
  }
}

/** Returns one line for each fault that does not fit the files under `root`. */
export const listMisfits = async (root: string, faults: readonly Fault[]): Promise<readonly string[]> => {
  const problems = await Promise.all(
    faults.map(async (fault) => {
      const problem = await readText(root, fault.file).then(
        (text) => misfitOf(fault, text),
        (error: unknown) => String(error),
      )
      return problem === undefined ? [] : [`${fault.name}: ${problem}`]
    }),
  )
  return problems.flat()
}

/** Applies a fault to the files under `root`, does the work, and restores the file, also if the work fails. */
export const withFault = async <T>(root: string, fault: Fault, work: () => Promise<T>): Promise<T> => {
  const text = await readText(root, fault.file)
  const problem = misfitOf(fault, text)
  if (problem !== undefined) throw new Error(problem)
  const file = path.join(root, fault.file)
  await writeFile(
    file,
    text.replace(fault.find, () => fault.replace),
  )
  try {
    return await work()
  } finally {
    await writeFile(file, text)
  }
}
