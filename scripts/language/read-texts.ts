import { trackedTexts } from "../checks/tracked-texts.ts"
import { readSource, type WrittenText } from "./read-source.ts"

/** Sources of the product and its tools; a test may throw what it likes. */
const isRead = (file: string): boolean => /\.[jt]s$/.test(file) && !/^(?:web|test|bench)\//.test(file)

/** Returns every text of the project's programs that people read, by file. */
export const readTexts = (): readonly WrittenText[] =>
  trackedTexts()
    .filter(({ file }) => isRead(file))
    .flatMap(({ file, text }) => readSource(file, text))
