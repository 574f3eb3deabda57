// Refuses a run whose instruction contains the word production.
let input = ""
for await (const chunk of process.stdin) input += chunk
const event = JSON.parse(input)
if (/\bproduction\b/i.test(event.input))
  console.log(JSON.stringify({ decision: "block", reason: "agents do not touch production" }))
