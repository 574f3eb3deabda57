/** Returns whether an address is that of a vendor's own server. */
export const isVendorServer = (address: string, domain: string): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === "https:" && (hostname === domain || hostname.endsWith(`.${domain}`))
}
