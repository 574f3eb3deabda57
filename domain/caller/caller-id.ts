/** The name of an MCP client on stdio that gives none. */
export const defaultCallerName = "default"

export const callerNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The callers that no configuration names: the user of this machine, and the holder of `ADJUTANT_API_TOKEN`. No configured token can have these names. */
export const builtInCallers = { local: "local", apiToken: "api-token" } as const

/**
 * The variable that a worker sets for the MCP servers of its runs. If one of them is Adjutant's own, its client is the agent of a run: it cannot
 * approve calls, those of its own sub-agents included.
 */
export const inRunVariable = "ADJUTANT_IN_RUN"

/** The same as a header, for servers over HTTP. A program that has the token can omit it: it prevents accidents. */
export const inRunHeader = "adjutant-in-run"

/** Returns the identity of a token: all clients with the token are one caller. */
export const httpCallerId = (tokenName: string): string => `http:${tokenName}`

/**
 * Returns the identity of an MCP client on stdio: the project and the name that the client was started with. Names contain no colon, so that no two
 * pairs have the same identity.
 */
export const stdioCallerId = (projectRoot: string, name: string): string => `stdio:${name}:${projectRoot}`

/** Whose the links in webhooks are: their messages name no person, and everybody who reads one can decide. */
export const webhookHolder = "webhook"
