import { createDocker } from "../../../../tools/sandbox/docker/docker.ts"

/** A worker of its own that runs one command with the given options, to be killed while it does. */
const [, , command = "{}", options = "{}"] = process.argv
await createDocker(JSON.parse(options)).run({ ...JSON.parse(command), signal: new AbortController().signal })
