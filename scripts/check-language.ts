import { checkLanguage } from "./language/language-rules.ts"
import { readTexts } from "./language/read-texts.ts"

// Prints the errors and help texts whose form breaks a rule: `node scripts/check-language.ts [folder or file …]`.
const wanted = process.argv.slice(2).map((place) => place.replace(/\/+$/, ""))
const isWanted = (file: string): boolean =>
  wanted.length === 0 || wanted.some((place) => file === place || file.startsWith(`${place}/`))

const problems = checkLanguage(readTexts().filter(({ file }) => isWanted(file)))
for (const { file, line, rule, text } of problems) process.stdout.write(`${file}:${line} ${rule}: ${text}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
