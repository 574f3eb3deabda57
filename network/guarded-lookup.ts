import { lookup as resolve, type LookupAddress, type LookupOptions } from "node:dns"

/** Returns whether a connection to an address may be made. */
export type AddressCheck = (address: string) => boolean

type Answer = (error: Error | null, address: string | LookupAddress[], family?: number) => void

export const addressRefused = (host: string): Error =>
  Object.assign(new Error(`${host} leads to an address that is not public`), { code: "ADDRESS_REFUSED" })

/**
 * Returns a `lookup` for connections that resolves a name and refuses it if one of its addresses may not be reached. The connection is made to the address
 * that was checked: a name that leads elsewhere a moment later changes nothing.
 */
export const guardedLookup =
  (isReachable: AddressCheck) =>
  (host: string, options: LookupOptions, answer: Answer): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return answer(error, [])
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => isReachable(address)))
        return answer(addressRefused(host), [])
      return options.all === true ? answer(null, addresses) : answer(null, first.address, first.family)
    })
  }
