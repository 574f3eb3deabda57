/** Returns a host in lower case, without a final dot and without the brackets of an IPv6 address. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")

export const isLoopback = (host: string): boolean => {
  const name = bareHost(host)
  return name === "localhost" || name === "::1" || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name)
}

/** Returns the host of a `Host` header; undefined if it is invalid. */
export const hostNameOf = (header: string): string | undefined => {
  const url = URL.parse(`http://${header}`)
  return url === null || url.pathname !== "/" || url.username !== "" || url.search !== ""
    ? undefined
    : bareHost(url.hostname)
}

/** Returns whether the origin that a browser sends is this server's own. */
export const isOwnOrigin = (origin: string, hostHeader: string | undefined, publicUrl?: string): boolean => {
  const url = URL.parse(origin)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false
  return url.host === hostHeader?.toLowerCase() || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
}
