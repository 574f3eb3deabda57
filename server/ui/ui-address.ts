import { randomInt } from "node:crypto"
import { isPortFree, type PortCheck } from "../exposure/choose-ports.ts"
import { freeBlockedPort, randomBlockedPort } from "../exposure/blocked-ports.ts"
import { flagValue, processArguments } from "../exposure/process-arguments.ts"

/** The address at which the Temporal UI itself listens. People use the proxy's address. */
export interface UiAddress {
  readonly host: string
  readonly port: number
}

const attempts = 5

/**
 * Returns an address for the UI that no web page can reach: a random address of 127.0.0.0/8, at a port that browsers refuse. On a system without such
 * addresses (macOS) it is 127.0.0.1, at such a port. Returns undefined if none is free; then the UI is not served.
 */
export const chooseUiAddress = async (isFree: PortCheck = isPortFree): Promise<UiAddress | undefined> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const place = { host: randomLoopbackAddress(), port: randomBlockedPort() }
    if (await isFree(place.port, place.host)) return place
  }
  const port = await freeBlockedPort("127.0.0.1", isFree)
  return port === undefined ? undefined : { host: "127.0.0.1", port }
}

/** Returns an address from 127.1.0.1 to 127.254.255.254: about 16 million. */
const randomLoopbackAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`

export const uiArguments = (ui: UiAddress | undefined): readonly string[] =>
  ui === undefined ? ["--headless"] : ["--ui-ip", ui.host, "--ui-port", String(ui.port)]

/** Returns the address at which the UI of a running server listens, from the arguments of its process; no file contains it. */
export const uiAddressOf = (pid: number): UiAddress | undefined => {
  const args = processArguments(pid)
  const host = flagValue(args, "--ui-ip")
  const port = Number(flagValue(args, "--ui-port"))
  return host === undefined || !Number.isInteger(port) || args.includes("--headless") ? undefined : { host, port }
}
