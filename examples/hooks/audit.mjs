// Writes one line per run that ended, however it ended.
import { appendFileSync } from "node:fs"

let input = ""
for await (const chunk of process.stdin) input += chunk
const { at, session_id, profile, error } = JSON.parse(input)
appendFileSync(process.argv[2], `${at} ${session_id} ${profile} ${error?.code ?? "completed"}\n`)
