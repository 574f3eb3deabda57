// Appends one line for each outcome of a run.
import { appendFileSync } from "node:fs"

let input = ""
for await (const chunk of process.stdin) input += chunk
const { at, session_id, profile, error } = JSON.parse(input)
appendFileSync(process.argv[2], `${at} ${session_id} ${profile} ${error?.code ?? "completed"}\n`)
