/** An IPv6 address comes with or without brackets. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")

export const isLoopback = (host: string): boolean => {
  const name = bareHost(host)
  return name === "localhost" || name === "::1" || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name)
}

/** The host of a `Host` header or of an origin; undefined for what is none. */
export const hostNameOf = (header: string): string | undefined => {
  const url = URL.parse(`http://${header}`)
  return url === null || url.pathname !== "/" || url.username !== "" || url.search !== ""
    ? undefined
    : bareHost(url.hostname)
}

/** A browser names the page that a request comes from: it must be one of this server's own. */
export const isOwnOrigin = (origin: string, hostHeader: string | undefined, publicUrl?: string): boolean => {
  const url = URL.parse(origin)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false
  return url.host === hostHeader?.toLowerCase() || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
}
