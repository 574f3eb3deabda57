import { setTimeout as delay } from "node:timers/promises"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import type { DockerAnswer, DockerClient } from "./docker-client.ts"
import { answerMs, dockerMessage } from "./docker-engine.ts"

/** Labels of every container of a tool. They identify the containers of a worker that died, without a separate list. */
export const containerLabels = { owner: "adjutant.owner", command: "adjutant.command" } as const

const attempts = 3
const betweenAttemptsMs = 200

const isGone = ({ exitCode, stderr }: DockerAnswer): boolean =>
  exitCode === 0 || /no such container|is already in progress/i.test(stderr)

/** Kills the container and removes it with its volumes. A container that the engine does not remove is found by its label later. */
export const removeContainer = async (client: DockerClient, name: string): Promise<void> => {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (isGone(await client(["rm", "--force", "--volumes", name], answerMs))) return
    if (attempt < attempts) await delay(betweenAttemptsMs)
  }
}

const ownedContainers = async (client: DockerClient, ownerId: string): Promise<readonly string[]> => {
  const filter = `label=${containerLabels.owner}=${ownerId}`
  const answer = await client(["ps", "--all", "--quiet", "--no-trunc", "--filter", filter])
  if (answer.exitCode === 0) return answer.stdout.split("\n").filter((id) => id !== "")
  throw sandboxUnavailable(
    `containers of ${ownerId} may still run, since docker does not list them (${dockerMessage(answer.stderr)}); run docker ps --filter ${filter}`,
  )
}

/**
 * Stops every container of the owner with SIGTERM, and with SIGKILL after the grace time, which docker counts in whole seconds; then removes them.
 * @throws AdjutantError `sandbox_unavailable` if the engine does not answer or keeps a container
 */
export const stopOwnedContainers = async (client: DockerClient, ownerId: string, graceMs: number): Promise<void> => {
  const ids = await ownedContainers(client, ownerId)
  if (ids.length === 0) return
  const graceSeconds = Math.ceil(graceMs / 1_000)
  // The engine completes this even if the worker dies in the meantime. Remaining containers are in the next list.
  await client(["stop", "--timeout", String(graceSeconds), ...ids], graceSeconds * 1_000 + answerMs)
  await Promise.all(ids.map((id) => removeContainer(client, id)))
  const left = await ownedContainers(client, ownerId)
  if (left.length === 0) return
  throw sandboxUnavailable(
    `docker did not remove all containers of ${ownerId}; remove them with docker rm --force ${left.join(" ")}`,
  )
}
