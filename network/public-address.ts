import { BlockList, isIP } from "node:net"

/** IPv4 networks that are not part of the public internet (IANA's registry of special addresses, and multicast). */
const closedNetworks: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]

/** Parts of the public IPv6 network that are examples, or that lead to an IPv4 address. */
const closedIpv6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]

const closed = new BlockList()
for (const [network, bits] of closedNetworks) closed.addSubnet(network, bits, "ipv4")
for (const [network, bits] of closedIpv6) closed.addSubnet(network, bits, "ipv6")

const publicIpv6 = new BlockList()
publicIpv6.addSubnet("2000::", 3, "ipv6")

/** Returns whether an address is one of the public internet: not of this machine, of its network, of a cloud's metadata, or of several hosts. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, "ipv4")
    case 6:
      return publicIpv6.check(address, "ipv6") && !closed.check(address, "ipv6")
    default:
      return false
  }
}
