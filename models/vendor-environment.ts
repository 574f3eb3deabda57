import { isVendorServer } from "../domain/limits/provider/vendor-server.ts"

/**
 * Creates a vendor's client. Its SDK reads the environment of the process by itself, for which it has no option: unless the client is for the vendor's
 * own server, it does not see the variables that are meant for that server only.
 */
export const createVendorClient = <Client>(
  server: { readonly address: string; readonly domain: string; readonly variables: readonly string[] },
  create: () => Client,
): Client => {
  if (isVendorServer(server.address, server.domain)) return create()
  const hidden = server.variables.map((name) => [name, process.env[name]] as const)
  for (const [name] of hidden) delete process.env[name]
  try {
    return create()
  } finally {
    for (const [name, value] of hidden) if (value !== undefined) process.env[name] = value
  }
}
