import { expect, test } from "vitest"
import { isPublicAddress } from "../../../network/public-address.ts"

test.each(["1.1.1.1", "93.184.216.34", "172.32.0.1", "192.169.0.1", "2606:4700::1111"])("%s is public", (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ...[
    "127.0.0.1",
    "127.8.8.8",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
  ],
  ...["0.0.0.0", "198.18.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "fe80::1", "fc00::1", "fd12::1", "ff02::1"],
  ...["2001:db8::1", "2001::1", "2002:a00:1::1", "not an address", ""],
])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false))
