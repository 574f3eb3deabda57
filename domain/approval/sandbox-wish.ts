/** What a command asks for beyond the sandbox in which it would run. */
export type SandboxWish =
  | { readonly kind: "unconfined" }
  | { readonly kind: "network"; readonly hosts: readonly string[] }

/** Returns what a call asks for beyond the sandbox: only Bash can, and a person decides on it. */
export const sandboxWishOf = (
  name: string,
  args: Readonly<Record<string, unknown>> | null | undefined,
): SandboxWish | undefined => {
  if (name !== "Bash" || args === null || args === undefined) return undefined
  if (args["unconfined"] === true) return { kind: "unconfined" }
  const { network } = args
  if (!Array.isArray(network)) return undefined
  return { kind: "network", hosts: network.filter((host): host is string => typeof host === "string") }
}
