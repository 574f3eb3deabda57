// Builds the programs of a Temporal cluster if they are not in the user's cache; for CI and scripts/start-cluster.ts.
import { ensureTemporalServer } from "./cluster/temporal-server-programs.ts"

const programs = await ensureTemporalServer(process.env, (line) => console.error(line))
console.log(programs.server)
