import { createBubblewrap } from "../../../../../tools/sandbox/bubblewrap/bubblewrap.ts"

/** A separate process that starts one command with the program of `argv[2]` in place of bubblewrap, and is killed meanwhile. */
const [, , program = "", cwd = ""] = process.argv
const sandbox = createBubblewrap({ program, network: true, userNamespace: false, readOnlyPaths: [], masked: [] })
await sandbox.run({
  ...{ command: "true", cwd, env: {}, ownerId: "owner", timeoutMs: 600_000, maxOutputBytes: 1_000 },
  ...{ outputFile: `${cwd}/output`, signal: new AbortController().signal },
})
