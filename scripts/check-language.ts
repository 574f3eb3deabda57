import { checkLanguage } from "./language/language-rules.ts"
import { problemsByFolder } from "./language/problems-by-folder.ts"
import { readTexts } from "./language/read-texts.ts"

// Prints what breaks the rules of the project's English: `node scripts/check-language.ts [folder or file …]`.
const wanted = process.argv.slice(2).map((place) => place.replace(/\/+$/, ""))
const isWanted = (file: string): boolean =>
  wanted.length === 0 || wanted.some((place) => file === place || file.startsWith(`${place}/`))

const problems = checkLanguage(readTexts().filter(({ file }) => isWanted(file)))
for (const { file, line, rule, text } of problems) process.stdout.write(`${file}:${line} ${rule}: ${text}\n`)
for (const [folder, count] of problemsByFolder(problems)) process.stdout.write(`${folder}: ${count}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
