import { trackedTexts } from "../checks/tracked-texts.ts"
import { readPage } from "./read-page.ts"
import { readSource } from "./read-source.ts"
import type { WrittenText } from "./written-text.ts"

/** What is not read: the page, other people's words, records, and the list of phrases with its test. */
const unread =
  /^(?:web\/|LICENSE$|package-lock\.json$|bench\/results\/|test\/histories\/|scripts\/language\/)|\/language\.test\.ts$/

const isPage = (file: string): boolean =>
  /\.(?:md|ya?ml|sh)$|(?:^|\/)(?:Dockerfile|run|\.dockerignore|\.gitignore|\.npmrc)$/.test(file)

/** Returns every text of the project that people read, by file. */
export const readTexts = (): readonly WrittenText[] =>
  trackedTexts()
    .filter(({ file }) => !unread.test(file))
    .flatMap(({ file, text }) => {
      if (/\.[jt]s$/.test(file)) return readSource(file, text)
      return isPage(file) ? readPage(file, text) : []
    })
