import { createDocker } from "../../../../tools/sandbox/docker/docker.ts"

/** A separate worker that runs one command with the given options and is killed meanwhile. */
const [, , command = "{}", options = "{}"] = process.argv
await createDocker(JSON.parse(options)).run({ ...JSON.parse(command), signal: new AbortController().signal })
