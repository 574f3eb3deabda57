import { config } from "zod"

/** These work for long, and parse again and again. */
const longCommands = new Set(["service", "serve", "worker", "dev", "mcp"])

// A schema is compiled when it is first used, which takes longer than the few parses of a command. Schemas look at this when they are created.
if (!process.argv.slice(2).some((word) => longCommands.has(word))) config({ jitless: true })
